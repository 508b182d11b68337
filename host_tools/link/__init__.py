"""Link: finding and holding the serial port, and the host's side of docs/PROTOCOL.md without any input or output."""
