"""The rig's own firmware: a second RP2040 that plays hands, machinery and eyes for a terminal under test."""
