/** A sample of Prometheus's text format. */
type Sample = { name: string; labels: Record<string, string>; value: number };

/** Metrics as scraped: the families with their HELP, and all samples. */
export type Scrape = { help: Map<string, string>; samples: Sample[] };

/** Scrapes `/metrics` of a process and reads every line. @throws Error at a line that is no sample */
export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(`${url}/metrics`);
  if (response.status !== 200) throw new Error(`${url}/metrics: ${response.status} ${await response.text()}`);
  const help = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of (await response.text()).split('\n')) {
    const about = /^# HELP (\w+) (.+)$/.exec(line);
    if (about) help.set(about[1], about[2]);
    if (line === '' || line.startsWith('#')) continue;
    const found = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!found) throw new Error(`no sample: ${line}`);
    const labels = [...(found[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, k, v]) => [k, v]);
    samples.push({ name: found[1], labels: Object.fromEntries(labels), value: Number(found[3]) });
  }
  return { help, samples };
}

/** The value of the sample with this name and, at least, these labels; undefined if there is none. */
export function sampleOf({ samples }: Scrape, name: string, labels: Record<string, string> = {}) {
  return samples.find(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  )?.value;
}
