"""Rules, paytables and the settling of Tai-Sai wagers; nothing here knows a port, a board or a database."""
