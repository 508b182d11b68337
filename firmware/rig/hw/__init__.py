"""The rig's pins, state machines and DMA."""
