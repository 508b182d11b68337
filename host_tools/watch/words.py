"""The words of the terminal view. They are the page's (host_tools/view/static/words): a test compares every text.

A name here is the page's key; what the page has not stands in TERMINAL_ONLY.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from host_tools.view.contract import Result

TERMINAL_ONLY = ("help", "kinds")
"""`kinds` are compared all the same, through `paytable`."""

_NUMERALS = "零一二三四五六七八九十"


class English:
    """English, and what every language has."""

    lang = "en"
    help = "Q quit · arrows, PgUp, PgDn scroll · >what wins<"
    kinds: ClassVar[Mapping[str, str]] = {
        "small": "small", "big": "big", "odd": "odd", "even": "even", "triple": "triples", "double": "doubles",
        "any_triple": "any triple", "total": "totals", "combination": "pairs", "face": "numbers",
        "three_dice": "three dice", "four_numbers": "four numbers",
    }  # fmt: skip

    title = "Tai-Sai"
    not_for_play = "NOT FOR PLAY: a simulated table"
    lost = "The connection is lost. What is shown may be out of date. Trying again."
    round = "Round"
    numbers = "Last three numbers pressed"
    no_numbers = "none"
    winning = "Winning areas"
    no_winning = "none lit"
    states: ClassVar[Mapping[str, str]] = {
        "away": "The terminal does not answer", "no_run": "No run is on at this table", "fault": "Fault at the table",
        "idle": "Waiting for the first round", "spinning": "Dice are spinning", "settling": "Dice come to rest",
        "place_bets": "Place your bets", "no_more_bets": "No more bets", "uncovered": "Cover open",
        "result": "Result", "void": "Round void",
    }  # fmt: skip
    sides: ClassVar[Mapping[str, str]] = {"small": "small", "big": "big", "triple": "triple"}
    marks: ClassVar[Mapping[str, str]] = {"corrected": "Corrected result.", "adjusted": "Adjusted result."}
    void_reasons: ClassVar[Mapping[str, str]] = {
        "not_flat": "a die did not lie flat", "opened_early": "the cover was opened early",
        "equipment": "equipment failed", "wrong_entry": "a wrong entry", "dispute": "a dispute", "other": "other",
        "power_lost": "power was lost", "fault": "a fault", "replaced": "the board was replaced",
    }  # fmt: skip
    misfit = "This round is played under another paytable than this view has. Nothing is lit."
    road = "Last 30 results"
    road_key = "S small, B big, T triple, with the total. * corrected or adjusted. A line: void."
    road_letters: ClassVar[Mapping[str, str]] = {"small": "S", "big": "B", "triple": "T"}
    road_empty = "No round has ended yet."
    figures = "Hits against expectation"
    figures_note = (
        "A small p is a reason to test the dice, not a finding: it is the chance for one look that was planned "
        "beforehand."
    )
    faces = "Dice faces"
    side_hits = "Small, big, triple"
    health = "Board"
    alarm_open = "An alarm is open: no wager is taken."
    no_alarms = "No alarm is open."
    alarm = "Alarm"
    alarms_note = "While an alarm is open no wager is taken and nothing is settled."
    board: ClassVar[Mapping[str, str]] = {
        "dev": "Board", "says": "State", "status_at": "Last status", "boot": "Start number", "started_at": "Started",
        "start_cause": "Start cause", "starts": "Starts", "resets": "Resets", "faults": "Faults",
        "last_record_at": "Last record", "run_since": "Run since",
    }  # fmt: skip
    none = "none"
    sim_keys: ClassVar[Mapping[str, str]] = {
        "cover_open": "Open cover", "cover_shut": "Shut cover", "spin": "Spin", "no_more_bets": "No more bets",
        "entry": "Entry", "supervisor_on": "Supervisor key on", "supervisor_off": "Supervisor key off",
    }  # fmt: skip
    shortcuts = "Shortcuts: C cover, S spin, N no more bets, 1 to 6, E entry, U supervisor"
    display = "Display"
    lamp = "Lamp"
    lamps: ClassVar[Mapping[str, str]] = {"off": "off", "on": "on", "blink": "blinks"}
    in_drum = "Dice in the drum"
    hidden = "hidden"
    key_failed = "The simulated table does not answer."

    def table(self, name: str) -> str:
        return f"table {name}"

    def area(self, kind: str, selection: str) -> str:
        """The name of an area. KeyError for a kind that Tai-Sai does not have."""
        spaced = selection.replace("-", " ")
        named = {
            "triple": f"Triple {selection}", "double": f"Double {selection}", "total": f"Total {selection}",
            "combination": f"Pair {selection.replace('-', ' and ')}", "face": f"Number {selection}",
            "three_dice": f"Three dice {spaced}", "four_numbers": f"Four numbers {spaced}",
        }  # fmt: skip
        return named.get(kind) or self.kinds[kind].capitalize()

    def odds(self, win: int, stake: int) -> str:
        return f"{win} to {stake}"

    def for_dice(self, count: int, odds: str) -> str:
        return f"{'1 die' if count == 1 else f'{count} dice'} {odds}"

    def range(self, first: int, last: int) -> str:
        return f"{first} to {last}"

    def call(self, result: Result) -> str:
        return result.call

    def fault(self, code: str) -> str:
        return f"Fault {code}. The supervisor is needed."

    def void(self, reason: str) -> str:
        return f"Void: {reason}. Stakes go back."

    def paytable(self, title: str, status: str, left_out: Sequence[str]) -> str:
        """Where the odds come from; `left_out`: kinds without odds."""
        missing = f" Not offered: {', '.join(self.kinds.get(kind, kind) for kind in left_out)}." if left_out else ""
        return f"Odds: {title} ({status.replace('_', ' ')}).{missing}"

    def figures_rounds(self, count: int) -> str:
        return f"Results of this board that count: {count}."

    def test(self, chi: str, degrees: int, p: str) -> str:
        return f"Chi-square {chi}, {degrees} degrees of freedom, p {p}."

    def not_enough(self, have: int, need: int) -> str:
        return f"Not enough rounds yet to say anything: {have} of {need}."


def _numeral(number: int) -> str:
    """1 to 19, as totals are read."""
    return _NUMERALS[number] if number <= 10 else f"十{_NUMERALS[number - 10]}"


def _spelled(selection: str) -> str:
    return "".join(_NUMERALS[int(face)] for face in selection.split("-"))


class Chinese(English):
    """Traditional Chinese, in the words of tables in Macau and Hong Kong."""

    lang = "zh-Hant"
    help = "Q 離開 · 方向鍵、PgUp、PgDn 捲動 · >中獎位置<"
    kinds: ClassVar[Mapping[str, str]] = {
        "small": "小", "big": "大", "odd": "單", "even": "雙", "triple": "圍骰", "double": "對子", "any_triple": "全圍",
        "total": "點數", "combination": "牌九式", "face": "三軍", "three_dice": "三粒骰", "four_numbers": "四號",
    }  # fmt: skip

    title = "骰寶"
    not_for_play = "模擬賭檯，不可用於博彩 NOT FOR PLAY"
    lost = "連線中斷。所示內容可能已過時。正在重新連線。"
    round = "局數"
    numbers = "最近輸入的三個號碼"
    no_numbers = "沒有"
    winning = "中獎位置"
    no_winning = "沒有亮燈"
    states: ClassVar[Mapping[str, str]] = {
        "away": "終端機沒有回應", "no_run": "此賭檯的程式未在運行", "fault": "賭檯故障", "idle": "等候第一局",
        "spinning": "搖骰中", "settling": "骰子正在停定", "place_bets": "請下注", "no_more_bets": "停止下注",
        "uncovered": "開蓋", "result": "開彩結果", "void": "本局作廢",
    }  # fmt: skip
    sides: ClassVar[Mapping[str, str]] = {"small": "小", "big": "大", "triple": "圍骰"}
    marks: ClassVar[Mapping[str, str]] = {"corrected": "結果已更正。", "adjusted": "結果已調整。"}
    void_reasons: ClassVar[Mapping[str, str]] = {
        "not_flat": "有骰子未平放", "opened_early": "過早開蓋", "equipment": "設備故障", "wrong_entry": "輸入錯誤",
        "dispute": "爭議", "other": "其他", "power_lost": "電力中斷", "fault": "故障", "replaced": "終端機已更換",
    }  # fmt: skip
    misfit = "本局使用的賠率表與此畫面不同，不會亮燈。"
    road = "最近三十局"
    road_key = "小、大、圍及點數。* 表示已更正或調整，橫線表示作廢。"
    road_letters: ClassVar[Mapping[str, str]] = {"small": "小", "big": "大", "triple": "圍"}
    road_empty = "尚未有完成的局。"
    figures = "實際次數與期望次數"
    figures_note = "p 值低只是檢驗骰子的理由，並非定論：它只適用於事先計劃好的一次檢視。"
    faces = "骰面"
    side_hits = "小、大、圍骰"
    health = "終端機"
    alarm_open = "有未處理的警報，不接受投注。"
    no_alarms = "沒有未處理的警報。"
    alarm = "警報"
    alarms_note = "有未處理的警報時不接受投注，亦不結算。"
    board: ClassVar[Mapping[str, str]] = {
        "dev": "終端機編號", "says": "狀態", "status_at": "最近回報", "boot": "啟動編號", "started_at": "啟動時間",
        "start_cause": "啟動原因", "starts": "啟動次數", "resets": "重設次數", "faults": "故障次數",
        "last_record_at": "最近記錄", "run_since": "連接自",
    }  # fmt: skip
    none = "沒有"
    sim_keys: ClassVar[Mapping[str, str]] = {
        "cover_open": "開蓋", "cover_shut": "合蓋", "spin": "搖骰", "no_more_bets": "停止下注", "entry": "輸入",
        "supervisor_on": "開主管鎖", "supervisor_off": "關主管鎖",
    }  # fmt: skip
    shortcuts = "快捷鍵：C 蓋、S 搖骰、N 停止下注、1 至 6、E 輸入、U 主管鎖"
    display = "顯示屏"
    lamp = "指示燈"
    lamps: ClassVar[Mapping[str, str]] = {"off": "熄", "on": "亮", "blink": "閃"}
    in_drum = "骰盅內的骰子"
    hidden = "未能看見"
    key_failed = "模擬賭檯沒有回應。"

    def table(self, name: str) -> str:
        return f"{name} 檯"

    def area(self, kind: str, selection: str) -> str:
        if not selection:
            return self.kinds[kind]
        if kind == "total":
            return f"{_numeral(int(selection))}點"
        return f"{self.kinds[kind]} {_spelled(selection)}"

    def odds(self, win: int, stake: int) -> str:
        return f"{stake} 賠 {win}"

    def for_dice(self, count: int, odds: str) -> str:
        return f"{_numeral(count)}粒 {odds}"

    def range(self, first: int, last: int) -> str:
        return f"{first} 至 {last} 點"

    def call(self, result: Result) -> str:
        faces = _spelled("-".join(map(str, sorted(result.dice))))
        return f"{faces}，{_numeral(result.total)}點，{self.sides[result.side]}"

    def fault(self, code: str) -> str:
        return f"故障代號 {code}，請通知主管。"

    def void(self, reason: str) -> str:
        return f"作廢：{reason}。退還注碼。"

    def paytable(self, title: str, status: str, left_out: Sequence[str]) -> str:
        said = {"official": "官方", "published": "已公佈", "secondary": "二手來源", "general_practice": "一般慣例"}
        missing = f"不設：{'、'.join(self.kinds.get(kind, kind) for kind in left_out)}。" if left_out else ""
        return f"賠率：{title}（{said[status]}）。{missing}"

    def figures_rounds(self, count: int) -> str:
        return f"此終端機全部 {count} 局有效結果。"

    def test(self, chi: str, degrees: int, p: str) -> str:
        return f"卡方值 {chi}，自由度 {degrees}，p {p}。"

    def not_enough(self, have: int, need: int) -> str:
        return f"局數未足，未能判斷：{have} / {need} 局。"


Words = English
LANGUAGES: dict[str, Words] = {each.lang: each() for each in (English, Chinese)}
