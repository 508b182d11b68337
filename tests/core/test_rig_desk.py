"""The rig's serial protocol: what is answered, what is refused, and that nothing breaks it."""

import json

from rig.core.desk import LINE_LIMIT, VERSION, Desk, Lines

from tests.core import kit


class Fake:
    """Machine, drum, hands, player and watch in one."""

    def __init__(self):
        self.live = False
        self.drum = self
        self.lines = {"spin", "cover"}
        self.did = []
        self.busy = False
        self.motor_fault = self.sensor_fault = None

    def start(self):
        self.live = True

    def let_go(self):
        self.live = False

    def turns(self):
        return False

    def idle(self):
        return not self.busy

    def pull(self, line, low):
        self.did.append((line, low))

    def pulses(self, count, period_us, low_us):
        self.did.append((count, period_us, low_us))

    def read(self):
        return {"t_us": 5, "words": "", "more": False, "lost": 0}


def desk(live=True):
    fake = Fake()
    fake.live = live
    return fake, Desk(fake, fake, fake, fake, {"table": "t"}, fake.let_go)


def ask(the_desk, **request):
    return json.loads(the_desk.answer(json.dumps(request).encode()))


def test_lines_are_cut_at_lf_and_one_that_is_too_long_is_empty():
    lines = Lines()
    said = b"a\nbc\n" + b"x" * (LINE_LIMIT + 1) + b"\nd\n" + b"y" * LINE_LIMIT + b"\n\n"
    out = [line for line in [lines.feed(byte) for byte in said] if line is not None]
    assert out == [b"a", b"bc", b"", b"d", b"y" * LINE_LIMIT, b""]


def test_a_line_without_end_takes_no_more_memory_than_the_limit():
    lines = Lines()
    for _ in range(5000):
        assert lines.feed(0x41) is None
    assert len(lines._held) == LINE_LIMIT


def test_hello_tells_version_lines_and_table_and_wakes_the_machine():
    fake, the_desk = desk(live=False)
    said = ask(the_desk, id=7, do="hello")
    assert said == {"id": 7, "ok": True, "value": {"version": VERSION, "lines": ["cover", "spin"], "table": "t"}}
    assert fake.live


def test_what_is_done():
    fake, the_desk = desk()
    assert ask(the_desk, id=1, do="pull", line="spin", low=True)["ok"]
    assert ask(the_desk, id=2, do="pulses", count=3, period_us=1000, low_us=400)["ok"]
    assert ask(the_desk, id=3, do="motor", fault="weld")["ok"] and fake.motor_fault == "weld"
    assert ask(the_desk, id=4, do="motor", fault=None)["ok"] and fake.motor_fault is None
    assert ask(the_desk, id=5, do="sensor", fault="noise")["ok"] and fake.sensor_fault == "noise"
    assert ask(the_desk, id=6, do="read")["value"]["turns"] is False
    assert fake.did == [("spin", True), (3, 1000, 400)]
    assert ask(the_desk, id=7, do="let_go")["ok"] and not fake.live


def test_nothing_is_pulled_before_hello():
    fake, the_desk = desk(live=False)
    said = ask(the_desk, id=1, do="pull", line="spin", low=True)
    assert not said["ok"] and "hello" in said["error"] and not fake.did


def test_bad_requests_are_answered_and_change_nothing():
    def check(line, words):
        fake, the_desk = desk()
        said = json.loads(the_desk.answer(line))
        assert said["ok"] is False and words in said["error"], said
        assert not fake.did and (fake.motor_fault, fake.sensor_fault) == (None, None)

    kit.cases(
        [
            (b"", "one JSON object"),
            (b"\xff\xfe", "one JSON object"),
            (b"{", "one JSON object"),
            (b"[" * 150, "one JSON object"),
            (b"[1]", "one JSON object"),
            (b'{"do":"read"}', "number as id"),
            (b'{"id":"1","do":"read"}', "number as id"),
            (b'{"id":true,"do":"read"}', "number as id"),
            (b'{"id":1}', "no such command"),
            (b'{"id":1,"do":[]}', "no such command"),
            (b'{"id":1,"do":"fly"}', "no such command"),
            (b'{"id":1,"do":"pull","line":"relay","low":true}', "line must be one of cover, spin"),
            (b'{"id":1,"do":"pull","line":["spin"],"low":true}', "line must be one of"),
            (b'{"id":1,"do":"pull","line":"spin"}', "low must be true or false"),
            (b'{"id":1,"do":"pull","line":"spin","low":1}', "low must be true or false"),
            (b'{"id":1,"do":"motor","fault":"gremlins"}', "push, slip, stall, weld"),
            (b'{"id":1,"do":"sensor","fault":3}', "fault must be one of"),
            (b'{"id":1,"do":"pulses","count":501,"period_us":1000,"low_us":4}', "from 1 to 500"),
            (b'{"id":1,"do":"pulses","count":1.5,"period_us":1000,"low_us":4}', "count must be a whole number"),
            (b'{"id":1,"do":"pulses","count":1,"period_us":7,"low_us":4}', "from 8 to 1000000"),
            (b'{"id":1,"do":"pulses","count":1,"period_us":1000,"low_us":997}', "from 4 to 996"),
        ],
        check,
    )


def test_pulses_wait_for_a_sensor_at_rest():
    fake, the_desk = desk()
    fake.busy = True
    said = ask(the_desk, id=1, do="pulses", count=3, period_us=1000, low_us=400)
    assert not said["ok"] and "rests" in said["error"] and not fake.did
