/** A node of EXPLAIN (FORMAT JSON): the fields that are read here. */
type Node = {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Temp Read Blocks': number;
  'Temp Written Blocks': number;
  Plans?: Node[];
};

export type ExplainedQuery = {
  ms: number;
  /** rows read from tables, including rows that a filter removed */
  rows: number;
  /** pages of 8 KB that were accessed, including temporary files */
  pages: number;
  /** indexes and tables that were read, in the order of the plan */
  scans: string[];
  tree: string;
};

/** A summary of EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON). */
export function describePlan(explained: { Plan: Node; 'Execution Time': number }): ExplainedQuery {
  const root = explained.Plan;
  const lines: string[] = [];
  const scans: string[] = [];
  let rows = 0;
  const visit = (node: Node, depth: number) => {
    const loops = node['Actual Loops'];
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    const name = node['Index Name'] ?? node['Relation Name'] ?? '';
    lines.push(
      `${'  '.repeat(depth)}${node['Node Type']} ${name} rows=${node['Actual Rows']} loops=${loops} removed=${removed}`,
    );
    if (/Scan/.test(node['Node Type']) && name !== '' && loops > 0) {
      if (!/Bitmap Heap/.test(node['Node Type'])) scans.push(isWhole(node) ? `all of ${name}` : name);
      if (!/Bitmap Index/.test(node['Node Type'])) rows += (node['Actual Rows'] + removed) * loops;
    }
    for (const child of node.Plans ?? []) visit(child, depth + 1);
  };
  visit(root, 0);
  return {
    ms: explained['Execution Time'],
    rows: Math.round(rows),
    pages:
      root['Shared Hit Blocks'] +
      root['Shared Read Blocks'] +
      root['Temp Read Blocks'] +
      root['Temp Written Blocks'],
    scans: [...new Set(scans)],
    tree: lines.join('\n'),
  };
}

const isWhole = (node: Node) => node['Node Type'] === 'Seq Scan';
