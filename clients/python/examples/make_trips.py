"""Draws the trips of the example from the sample of the service, the same ones each time.

One in 100 of the counted pickups of twelve zones in four weeks; where a trip ends is drawn from the trips of 2017
between these zones. Run: `python make_trips.py`.
"""

import csv
import gzip
import io
import random
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path

HERE = Path(__file__).parent
SAMPLE = HERE.parents[2] / "data" / "nyc"
ZONES = [43, 48, 50, 142, 161, 162, 163, 229, 230, 236, 237, 239]
FIRST_ID = 1000  # so that the example can stand beside the sample
SHARE = 0.01
FROM = "2017-04-06T04:00:00Z"


def main() -> None:
    """Writes `trips.csv.gz` and `locations.csv`."""
    draw = random.Random(2017)
    ends: dict[int, dict[int, int]] = defaultdict(dict)
    with gzip.open(SAMPLE / "zone_pairs_2017.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if int(row["to_id"]) in ZONES:
                ends[int(row["from_id"])][int(row["to_id"])] = int(row["trips_2017"])
    trips = []
    with gzip.open(SAMPLE / "demand_hourly.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            zone, hour = int(row["location_id"]), row["hour_utc_iso"]
            if zone not in ZONES or hour < FROM:
                continue
            count = sum(draw.random() < SHARE for _ in range(int(row["pickups"])))
            for end in draw.choices(list(ends[zone]), list(ends[zone].values()), k=count):
                moment = datetime.fromisoformat(hour.replace("Z", "+00:00")) + timedelta(minutes=draw.randrange(60))
                trips.append((moment.strftime("%Y-%m-%dT%H:%MZ"), zone + FIRST_ID, end + FIRST_ID))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["picked_up_at", "from_id", "to_id"])
    writer.writerows(sorted(trips))
    # Without a time in it, so that the same trips are the same file.
    (HERE / "trips.csv.gz").write_bytes(gzip.compress(out.getvalue().encode(), 9, mtime=0))
    with open(SAMPLE / "locations.csv") as file, open(HERE / "locations.csv", "w", newline="") as copy:
        rows = [row for row in csv.DictReader(file) if int(row["id"]) in ZONES]
        places = csv.DictWriter(copy, [*rows[0]], lineterminator="\n")
        places.writeheader()
        places.writerows({**row, "id": int(row["id"]) + FIRST_ID} for row in rows)


if __name__ == "__main__":
    main()
