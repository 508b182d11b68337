"""The pipe between the simulated board and the host's rig: JSON lines; commands come in while the board sleeps.

Host to board {"id", "do", "args"}; board to host {"id", "ok", "value" or "error", "t_us"}, or, unasked,
{"ev": "reset", "cause", "world"}.
"""

import json
import os
import select


def _end_process():
    """The host is gone: end at once; sys.exit is an exception, which the firmware could catch."""
    os.system("kill -9 $PPID")


class RigPipe:
    """in_fd, out_fd: inherited file descriptors."""

    def __init__(self, in_fd, out_fd):
        self._in = open(in_fd, "rb")
        self._out = open(out_fd, "wb")
        self._poll = select.poll()
        self._poll.register(self._in, select.POLLIN)
        self._step_id = None  # of the step that has not been answered

    def serve_until_allowed(self, world):
        """Virtual clock: time stands still until the host allows more of it."""
        while True:
            if self._step_id is not None and world.allowed_us <= world.now_us:
                self._answer(world, self._step_id, world.read())
                self._step_id = None
            if world.allowed_us > world.now_us:
                return
            self._serve_one(world)

    def serve_waiting(self, world, wait_ms):
        """Real clock: wait up to wait_ms for one command and answer it."""
        if self._poll.poll(wait_ms):
            self._serve_one(world)

    def say_reset(self, cause, state):
        self._say({"ev": "reset", "cause": cause, "world": state})
        self._block()

    def _say(self, message):
        self._out.write(json.dumps(message).encode() + b"\n")

    def _serve_one(self, world):
        line = self._in.readline()
        if not line:
            _end_process()
        message = json.loads(line)
        if message["do"] == "step":
            world.allowed_us = message["args"]["until_us"]
            self._step_id = message["id"]
            return
        try:
            self._answer(world, message["id"], _do(world, message["do"], message["args"]))
        except Exception as error:  # none may reach the firmware, in whose sleep this runs
            self._say({"id": message["id"], "ok": False, "error": str(error), "t_us": world.now_us})
        if message["do"] == "halt":
            self._block()

    def _answer(self, world, id, value):
        self._say({"id": id, "ok": True, "value": value, "t_us": world.now_us})

    def _block(self):
        """Nothing of the firmware runs any more; what the host asks now it will ask this board's next process."""
        while self._in.readline():
            pass
        _end_process()


def _do(world, do, args):
    if do == "read":
        return world.read()
    if do == "halt":
        return world.state()
    if do == "heap":
        return world.heap_bytes
    if do == "press" or do == "release":
        return world.press(args["key"], do == "press")
    if do == "cover":
        return world.set_cover(args["is_open"])
    if do == "cover_wire":
        return world.set_cover_wire(args["broken"])
    if do == "supervisor":
        return world.set_supervisor(args["on"])
    if do == "estop":
        return world.set_estop(args["on"])
    if do == "sensor":
        return world.drum.set_sensor(args["fault"])
    if do == "motor":
        return world.set_motor(args["fault"])
    if do == "stall":
        world.stall_us += args["ms"] * 1000
        return None
    if do == "next_dice":
        world.drum.next_dice.append(args["dice"])
        return None
    if do == "dice":
        if not world.cover_open:
            raise ValueError("The dice are covered: open the cover to read them.")
        if world.drum.on_table is None:
            raise ValueError("The drum still turns: read the dice when they lie.")
        return world.drum.on_table
    raise ValueError("The rig has no command %r." % do)
