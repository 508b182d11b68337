"""How a tumbler's drum gains and loses speed, ms by ms, in whole numbers: one law for the rig and both simulators.

Speeds are phase per ms, where PULSE is the phase from one pulse of the sensor to the next.
"""

PULSE = 1_000_000_000
HZ = PULSE // 1000  # the speed of one pulse a second
SPINS_PER_S_MILLI = 2500  # spins of the dice a second at full speed
SPIN_UP_MS = 250  # time constant of the motor with its drum
COAST_MS = 1200  # from full speed to rest
SLIP_PERCENT = 12  # of full speed, with a slipping belt


def rated(pulses_per_spin: int, min_hz: int, max_hz: int) -> int:
    """Full speed of a drum whose sensor gives so many pulses a spin, within the rates that its board accepts."""
    top = SPINS_PER_S_MILLI * pulses_per_spin * HZ // 1000
    return max(min_hz * HZ * 3 // 2, min(top, max_hz * HZ * 4 // 5))


def after_1_ms(speed: int, top: int, driven: bool, slips: bool) -> int:
    """The speed 1 ms later; top: full speed of this run, driven: the motor pulls, slips: its belt does not."""
    if not driven:
        return max(0, speed - top // COAST_MS)
    goal = top * SLIP_PERCENT // 100 if slips else top
    return speed + (goal - speed) // SPIN_UP_MS
