"""Evaluates prod's alarms as AWS documents CloudWatch, with random (Poisson) arrivals. Prints a table,
the source of the minutes in the runbook. .github/workflows/outside.yml synthesizes the TEMPLATE.

A cell says in how many of 200 draws the alarm noticed the fault in time, and after how many minutes (median); how often it
went to ALARM; or how much of the time it was in ALARM. Exit code 1 if a cell misses its goal (printed bold).
With OLDER, each cell has the older result first. Needs numpy.

Rules, below https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/ unless another page is named:
 - alarm-evaluation-window.html: the window slides. An alarm is evaluated each minute.
 - alarm-evaluation.html: a window longer than a day is evaluated once an hour, with data up to the full hour.
 - alarms-and-missing-data.html: M of N, and earlier datapoints fill gaps. AWS does not say how many, so their number is random.
 - using-metric-math.html: a missing value counts as 0 if another series has one; a division by 0 has no value.
 - ../logs/FilterAndPatternSyntax.html: what a metric filter counts. Its default value needs a log line in the minute.
 - alarm-combining.html: composite alarms.
 - AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-access-metrics.html: an idle queue begins to send metrics up to 15
   minutes after it gets a message, and sends them for 6 hours.
Assumed (docs/first-deployment.md, step 3): MatchedEvents has datapoints only in minutes with events.
Left out: metrics reach CloudWatch one to three minutes late.
"""
import argparse, ast, json, re, sys
import numpy as np
RATES, DRAWS, DAY = (1, 10, 100, 18_000), 200, 1440

# --- What a request leaves in metrics and in the log -----------------------------------------------------------------------
def request(outcome=None, aws={}, **line):
    usual = {"operation": "getApplication", "outcome": outcome, "status": 503 if aws.get("5xx") else 200, "duration_ms": 20}
    return {"Count": 1, "5xx": 0, "Errors": 0, **aws}, outcome and {**usual, **line}

KINDS = {
    "ok": request("ok", tenant="t"),
    "slow": request("ok", tenant="t", duration_ms=4000),
    "unavailable": request("unavailable", {"5xx": 1}, tenant="t"),
    "internal": request("internal", {"5xx": 1}, tenant="t"),
    "invalid": request("stored_data_invalid", {"5xx": 1}, tenant="t"),
    "crash": request(None, {"5xx": 1, "Errors": 1}),
    "other_issuer": request("invalid_token", token_fault="other_issuer"),
    "expired": request("invalid_token", token_fault="expired"),
    "refused": request(None, {"throttled_requests": 1}),
    "change": request("ok", tenant="t", status_changed_to="closed"),
    "event": ({"EventCount": 1, "MatchedEvents": 1}, None),
    "letter": ({"ApproximateNumberOfMessagesVisible": 1}, None),
    "29 days left": ({"DaysToExpiry": 29}, None),
}

def matches(pattern, line):
    def term(found):
        name, operator, value, number = found.groups()
        if number: return str(name in line and (line[name] > float(number) if operator == ">" else line[name] < float(number)))
        return str(operator != "IS TRUE" and name in line and (value == "*" or (line[name] == value) == (operator == "=")))
    text = re.sub(r'\$\.(\w+) (IS TRUE|!?=|[<>])(?: "([^"]*)"| ([\d.]+))?', term, pattern)
    return eval(text.strip("{} ").replace("&&", "and").replace("||", "or"))

# --- CloudWatch --------------------------------------------------------------------------------------------------------------
def rolling(values, period):
    total = np.concatenate([np.zeros(period), np.cumsum(values)])
    return total[period:] - total[:-period]

OPERATORS = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.And: np.logical_and, ast.Or: np.logical_or,
    ast.Gt: np.greater, ast.GtE: np.greater_equal, ast.Lt: np.less, ast.LtE: np.less_equal, ast.Eq: np.equal,
}
def compute(node, series, expressions):  # NaN is a missing value
    at = lambda it: compute(it, series, expressions)
    match node:
        case ast.Expression(): return at(node.body)
        case ast.Constant(): return node.value
        case ast.Name(): return at(expressions[node.id]) if node.id in expressions else series[node.id]
        case ast.BoolOp(): op, (left, *others) = node.op, node.values
        case ast.Compare(): op, left, others = node.ops[0], node.left, node.comparators
        case ast.BinOp(): op, left, others = node.op, node.left, [node.right]
        case ast.Call(func=ast.Name(id="IF")):
            condition, yes, no = map(at, node.args)
            return np.where(np.isnan(condition), np.nan, np.where(condition != 0, np.nan_to_num(yes), no))
        case ast.Call(func=ast.Name(id="FILL")): return latest(at(node.args[0]))
        case _: raise ValueError(ast.dump(node))
    result = at(left)
    for other in map(at, others):
        missing = np.logical_and(*(np.isnan(it) if isinstance(it, np.ndarray) else True for it in (result, other)))
        with np.errstate(divide="ignore", invalid="ignore"):
            value = OPERATORS[type(op)](np.nan_to_num(result), np.nan_to_num(other)).astype(float)
        result = np.where(missing | ~np.isfinite(value), np.nan, value)
    return result

def latest(values):  # in place of a missing value, the one before it
    return values[np.maximum.accumulate(np.where(np.isnan(values), 0, np.arange(len(values))))]

class Stack:
    def __init__(self, path):
        resources = json.load(open(path))["Resources"]
        of = lambda kind: {id: it["Properties"] for id, it in resources.items() if it["Type"] == f"AWS::{kind}"}
        transformed = [(it["FilterPattern"], it["MetricTransformations"][0]) for it in of("Logs::MetricFilter").values()]
        self.filters = {it["MetricName"]: (pattern, it) for pattern, it in transformed}
        self.alarms = of("CloudWatch::Alarm")
        # Alarms on function versions are left out: their names are Fn::Joins, and no goal is about them.
        named = {id: it["AlarmName"] for id, it in self.alarms.items() if isinstance(it["AlarmName"], str)}
        self.names = {id: name.split("-", 2)[2] for id, name in named.items()}

    def series(self, metric, period, statistic, counts):  # without "Sum", all datapoints of a metric are equal here
        name, dimensions = metric["MetricName"], {it["Name"]: it["Value"] for it in metric.get("Dimensions", [])}
        pattern, made = self.filters.get(name, (None, {}))
        def value(kind):
            aws, line = KINDS[kind]
            if "FunctionName" in dimensions and "GetApplication" not in json.dumps(dimensions): return None
            if aws.get(name) is not None or not (pattern and line): return aws.get(name, made.get("DefaultValue") if line else None)
            counted = matches(pattern, line) and all(line[it["Key"]] == dimensions[it["Key"]] for it in made.get("Dimensions", []))
            return 1 if counted else made.get("DefaultValue")
        recorded = [(value(kind), many) for kind, many in counts.items() if value(kind) is not None]
        if not recorded: return np.full(len(next(iter(counts.values()))), np.nan)
        exists = rolling(sum(many for _, many in recorded), period) > 0
        value = rolling(sum(it * many for it, many in recorded), period) if statistic == "Sum" else recorded[0][0]
        return np.where(exists, value, np.nan)

    def states(self, id, counts):  # whether the alarm is in ALARM after each minute
        alarm = self.alarms[id]
        metrics = alarm.get("Metrics") or [{"Id": "it", "MetricStat": {"Metric": alarm, "Period": alarm["Period"], "Stat": alarm["Statistic"]}}]
        stats = {it["Id"]: it["MetricStat"] for it in metrics if "MetricStat" in it}
        period = next(iter(stats.values()))["Period"] // 60
        series = {name: self.series(it["Metric"], period, it["Stat"], counts) for name, it in stats.items()}
        texts = {it["Id"]: it["Expression"].replace("AND", "and").replace("OR", "or") for it in metrics if "Expression" in it}
        values = compute(ast.Name(metrics[0]["Id"]), series, {id: ast.parse(it, mode="eval") for id, it in texts.items()})
        over = values < alarm["Threshold"] if alarm["ComparisonOperator"].startswith("Less") else values > alarm["Threshold"]
        periods, needed, length = alarm["EvaluationPeriods"], alarm["DatapointsToAlarm"], len(over)
        real, breaching = np.zeros(length, int), np.zeros(length, int)
        for nth in range(periods + random.choice([0, 2, periods])):
            shift = nth * period
            if shift >= length: break
            taken = ~np.isnan(values[: length - shift]) & (real[shift:] < periods)
            real[shift:] += taken
            breaching[shift:] += taken & over[: length - shift]
        state = np.where(breaching >= needed, 1.0, 0.0)
        if alarm["TreatMissingData"] == "ignore":
            state[(breaching < needed) & (real < periods) & (real == breaching)] = np.nan
        if period * periods > DAY: state[np.arange(length) % 60 != 0] = np.nan
        state[0] = np.nan_to_num(state[0])
        return latest(state) > 0

# --- Faults ------------------------------------------------------------------------------------------------------------------
WELL = 4 * DAY  # minutes before a fault; longer than any window
arrivals = lambda per_minute, minutes: random.poisson(np.broadcast_to(per_minute, minutes)).astype(float)
after = lambda days, share, before=0.0: np.where(np.arange(WELL + days * DAY) < WELL, before, share)
def split(rate, **shares):
    """Requests by kind. `shares` may vary with time; the other requests are "ok"."""
    length = len(next(iter(shares.values())))
    ways = {"ok": 1 - sum(shares.values()), **shares}
    return {kind: arrivals(rate * share, length) for kind, share in ways.items()}
def slow_for(rate, share, every, lasts, usually=0.0, days=7):
    """A share of slow requests for `lasts` minutes in every `every`, and the share `usually` in between."""
    since = np.arange(WELL + days * DAY) - WELL
    return split(rate, slow=np.where((0 <= since) & (since % every < lasts), share, usually))
steady = lambda rate, days, share, *kinds: split(rate, **{random.choice(kinds): after(days, share)})
failing, buggy = ("unavailable", "crash"), ("internal", "crash", "invalid")
def after_outage(rate):
    since = np.arange(WELL + 14 * DAY) - WELL
    return split(rate, unavailable=np.where((0 <= since) & (since < 60), 1, 0.0005))
def outages(rate):
    """Two outages of an hour. The second begins three hours after the first ends."""
    since = np.arange(WELL + DAY) - WELL
    return split(rate, unavailable=((0 <= since) & (since < 60) | (240 <= since) & (since < 300)).astype(float))
def at_night(kind, rate, each=1.0):
    """For ten hours a night, the traffic falls to a fiftieth, and one client sends a token of this kind each minute."""
    night = np.arange(WELL + 7 * DAY) % DAY < 600
    return {"ok": arrivals(np.where(night, rate / 50, rate), len(night)), kind: night * each}

def bursts(rate, every=DAY):
    """Ten minutes of ten times the traffic, of which 90 % gets 429."""
    burst = np.arange(WELL + 7 * DAY) % every < 10
    many = np.where(burst, 10 * rate, rate)
    return {"ok": arrivals(np.where(burst, many / 10, many), len(many)), "refused": arrivals(np.where(burst, many * 0.9, 0), len(many))}

def slow_at_night(rate, share=0.05):
    night = np.arange(WELL + 7 * DAY) % DAY < 600
    traffic = np.where(night, rate / 50, rate)
    return {kind: arrivals(traffic * part, len(night)) for kind, part in {"ok": 1 - share, "slow": share}.items()}

HEALTHY = {
    "nights with a fiftieth of the traffic": lambda r: at_night("expired", r, 0),
    "a client's expired token each night": lambda r: at_night("expired", r),
    "a burst of ten minutes each day": bursts,
    "a burst of ten minutes each hour": lambda r: bursts(r, 60),
    "3.5 % get 429": lambda r: steady(r, 7, 0.035, "refused"),
}

def publishing(rate, share=1.0, delay=lambda minutes: 0, days=1):
    """One request in ten changes a status. The pipe publishes a share of the changes, after two seconds and the delay."""
    minutes = np.arange(WELL + days * DAY)
    changes = arrivals(rate / 10, len(minutes))
    sent = random.binomial(changes.astype(int), np.where(minutes < WELL, 1, share))
    late = random.binomial(sent, 1 / 30)
    due = np.concatenate([minutes + delay(minutes), minutes + delay(minutes) + 1]).astype(int)
    events = np.bincount(due, np.concatenate([sent - late, late]), len(minutes))[: len(minutes)]
    return {"ok": arrivals(rate * 0.9, len(minutes)), "change": changes, "event": events}

def importing(rate):
    """An import of an hour delays events by up to 30 minutes. An hour after its end, the pipe has caught up."""
    return publishing(rate, 1, lambda at: np.interp(at - WELL, [0, 60, 120], [0, 30, 0]))

def once(kind, rate, lasts, delay=0):
    since = np.arange(WELL + DAY) - WELL - delay
    return {"ok": arrivals(rate, len(since)), kind: ((0 <= since) & (since < lasts)).astype(float)}

# --- Goals: what an alarm must notice in 95 % of the draws, and how often it may fire needlessly, averaged over them ----------
begins = lambda states: np.flatnonzero(np.diff(states[WELL - 1 :].astype(int)) == 1) + 1
def within(minutes, after=0):
    def first(states):
        times = begins(states) - after
        return min(times[times > 0], default=np.inf)
    return f"≤ {minutes} min", first, lambda all: np.mean(all <= minutes) >= 0.95, lambda all: (
        f"{100 * np.mean(all <= minutes):.0f} %, {np.quantile(all, 0.5, method='lower'):.0f} min".replace(", inf min", ""))
def at_most(limit, a):
    unit = {DAY: "a day", 7 * DAY: "a week"}[a]
    often = lambda states: len(begins(states)) / (len(states) - WELL) * a
    return f"≤ {limit} {unit}", often, lambda all: np.mean(all) <= limit, lambda all: f"{np.mean(all):.2g}"
def held(limit, after):
    during = lambda states: states[WELL + after * DAY :].mean()
    return f"in ALARM ≤ {100 * limit:.0f} %", during, lambda all: np.mean(all) <= limit, lambda all: f"{100 * np.mean(all):.0f} %"

def ends(minutes, after):
    """OK `minutes` after the fault has ended, and from then on."""
    last = lambda states: max(np.flatnonzero(states[WELL:]), default=0) + 1 - after
    return f"OK ≤ {minutes} min after", last, lambda all: np.mean(all <= minutes) >= 0.95, lambda all: (
        f"{100 * np.mean(all <= minutes):.0f} %, {np.quantile(all, 0.5, method='lower'):.0f} min")

GOALS = [
    ("outage", "every request gets 5xx", (1,), lambda r: steady(r, 1, 1, *failing), within(10)),
    ("outage", "every request gets 5xx", RATES[1:], lambda r: steady(r, 1, 1, *failing), within(5)),
    ("outage", "10 % get 5xx", RATES[1:], lambda r: steady(r, 1, 0.1, *failing), within(15)),
    ("outage", "a second outage, three hours after the first", RATES, outages, within(10, after=240)),
    ("error-budget", "10 % get 5xx", (1,), lambda r: steady(r, 1, 0.1, *failing), within(90)),
    # At one request a minute, 1 % is 14 failures a day.
    ("error-budget", "1 % get 5xx", (1,), lambda r: steady(r, 1, 0.01, *failing), within(DAY)),
    ("error-budget", "1 % get 5xx, in a night of 12 hours", RATES[1:], lambda r: steady(r, 1, 0.01, *failing), within(720)),
    ("error-budget", "0.2 % get 5xx", (1,), lambda r: steady(r, 7, 0.002, *failing), within(7 * DAY)),
    ("error-budget", "0.2 % get 5xx", RATES[1:], lambda r: steady(r, 2, 0.002, *failing), within(2 * DAY)),
    ("error-budget", "0.05 % get 5xx, after an outage of an hour", RATES, after_outage, held(0.1, after=4)),
    *((name, "0.1 % get 5xx: the objective", RATES, lambda r: steady(r, 28, 0.001, *failing), at_most(1, 7 * DAY))
      for name in ("outage", "error-budget")),
    *((name, f"{100 * share:g} % get 5xx, for five days", RATES,
       lambda r, share=share: steady(r, 5, share, *failing), at_most(1, DAY))
      for name in ("outage", "error-budget") for share in (0.003, 0.006, 0.03, 1)),
    # At one request a minute, half an hour has about 15 slow ones, but fewer than ten in 6 % of the draws.
    ("slow", "51 % are slow", (1,), lambda r: steady(r, 1, 0.51, "slow"), within(45)),
    ("slow", "51 % are slow", RATES[1:], lambda r: steady(r, 1, 0.51, "slow"), within(30)),
    ("slow", "every request is slow", RATES, lambda r: steady(r, 1, 1, "slow"), within(30)),
    *(("slow", f"{100 * share:g} % are slow", RATES, lambda r, share=share: steady(r, 7, share, "slow"), at_most(0.05, 7 * DAY))
      for share in (0.01, 0.03, 0.05)),
    ("slow", "5 % are slow, in nights with a fiftieth of the traffic", RATES, slow_at_night, at_most(0.05, 7 * DAY)),
    ("slow", "60 % are slow, for five minutes a day", RATES, lambda r: slow_for(r, 0.6, DAY, 5), at_most(0.05, 7 * DAY)),
    ("slow", "60 % are slow, for an hour, and 3 % afterwards", RATES, lambda r: slow_for(r, 0.6, 7 * DAY, 60, 0.03), ends(120, after=60)),
    ("bugs", "a new bug in 0.05 %", RATES[2:], lambda r: steady(r, 1, 0.0005, *buggy), within(DAY)),
    ("bugs", "one crash in a million", RATES[3:], lambda r: split(r, crash=after(7, 1e-6, 1e-6)), held(0.01, after=0)),
    ("bugs", "a new bug in 0.05 %, beside such crashes", RATES[3:],
     lambda r: split(r, internal=after(1, 0.0005), crash=after(1, 1e-6, 1e-6)), within(DAY)),
    ("tokens-rejected", "all tokens are of another issuer", RATES, lambda r: steady(r, 1, 1, "other_issuer"), within(180)),
    ("tokens-rejected", "half of the tokens are", RATES, lambda r: steady(r, 1, 0.5, "other_issuer"), within(DAY)),
    ("tokens-rejected", "one client's foreign token, each night", RATES, lambda r: at_night("other_issuer", r), at_most(0, 7 * DAY)),
    ("throttled-requests", "10 % get 429", RATES[1:], lambda r: steady(r, 1, 0.1, "refused"), within(75)),
    ("throttled-requests", "90 % get 429", RATES[1:], lambda r: steady(r, 1, 0.9, "refused"), within(60)),
    *(("throttled-requests|tokens-rejected", fault, RATES, draw, at_most(0.2, 7 * DAY)) for fault, draw in HEALTHY.items()),
    ("events-late", "a stopped pipe", RATES, lambda r: publishing(r, 0), within(150)),
    ("events-late", "a stopped pipe, at 14 changes a day", (1,), lambda r: publishing(0.1, 0), within(DAY)),
    ("events-late", "half of the changes are published", RATES, lambda r: publishing(r, 0.5), within(360)),
    ("events-late", "5 % of the changes are published", RATES, lambda r: publishing(r, 0.05), within(360)),
    ("events-late", "no fault", RATES, lambda r: publishing(r, days=28), at_most(0, 7 * DAY)),
    ("events-late", "an import delays events by 30 minutes", RATES, importing, at_most(0, DAY)),
    ("dead-letters", "one dead letter", (1,), lambda r: once("letter", r, 360, random.integers(0, 16)), within(20)),
    ("certificate-ends", "29 days left", (1,), lambda r: once("29 days left", r, DAY), within(5)),
]
# For OLDER: what these alarms were called in commit 6dbb24d4.
EARLIER = {"outage": "error-budget", "error-budget": "error-budget|burn-rate-3d"}

def measure(stack, name, draw, rate, goal):
    global random
    random = np.random.default_rng(47)  # for each cell, so that other alarms do not change it
    _, value, is_met, text = goal
    pattern = name if "outage" in stack.names.values() else EARLIER.get(name, name)
    ids = [id for id, it in stack.names.items() if re.fullmatch(pattern, it)]
    drawn = (draw(rate) for _ in range(DRAWS))
    all = np.array([value(np.any([stack.states(id, counts) for id in ids], axis=0)) for counts in drawn])
    return is_met(all), text(all) if is_met(all) else f"**{text(all)}**"

def main(*paths):
    stacks = [Stack(it) for it in paths if it]
    print("| alarm | fault | goal |" + "".join(f" {rate:,} |" for rate in RATES) + "\n|-|-|-|" + "-|" * len(RATES))
    failed = 0
    for name, fault, rates, draw, goal in GOALS:
        measured = {rate: [measure(it, name, draw, rate, goal) for it in stacks] for rate in rates}
        failed += sum(not cells[-1][0] for cells in measured.values())
        texts = [" → ".join(text for _, text in measured.get(rate, [])) for rate in RATES]
        print(f"| `{name.replace('|', '` or `')}` | {fault} | {goal[0]} | " + " | ".join(texts) + " |", flush=True)
    return failed
if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("template", metavar="TEMPLATE", help="such as dist/alarms/RecruitmentService-prod.template.json")
    parser.add_argument("older", metavar="OLDER", nargs="?", help="the same template of another commit")
    given = parser.parse_args()
    sys.exit(min(main(given.older, given.template), 1))
