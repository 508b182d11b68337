"""`tumbler doctor`: what is plugged in and installed here, what is wrong with it, and how to mend each."""
