// Names in the trees of PostgreSQL's parser:
// cspell:ignore Elts NOTNULL colname conname funcname idxname lexpr libpg objargs objname objtype pktable rexpr
// cspell:ignore sval trigname
import { type AlterTableCmd, type ColumnDef, type Constraint, type Node, parseSync } from 'libpg-query';

/** A migration as the rules see it. */
export type Migration = {
  /** e.g. `0042_job_format` */
  tag: string;
  sql: string;
};

/** Things that the version before does not have: it cannot miss them. */
type Made = { tables: Set<string>; functions: Set<string>; others: Set<string> };

/** Tables that grow without limit, or are as large as the data: an index over them takes minutes. */
const LARGE = new Set([
  ...[
    'jobs',
    'job_attempts',
    'job_previous',
    'plans',
    'plan_parts',
    'decisions',
    'replays',
    'schedule_occurrences',
  ],
  ...['webhook_deliveries', 'audit_log'],
  ...['demand_observations', 'vehicles', 'travel', 'trip_flows', 'travel_packs'],
]);

/** Statements that only add, or change nothing that the version before sees. */
const HARMLESS = new Set([
  ...[
    'CreateEnumStmt',
    'CreateSeqStmt',
    'CreateFunctionStmt',
    'AlterFunctionStmt',
    'CreateTrigStmt',
    'ViewStmt',
  ],
  ...['CommentStmt', 'GrantStmt', 'InsertStmt', 'SelectStmt'],
]);
/** The same in `ALTER TABLE`. */
const HARMLESS_CHANGES = new Set([
  ...['AT_ValidateConstraint', 'AT_SetStatistics', 'AT_SetStorage', 'AT_SetRelOptions', 'AT_ResetRelOptions'],
]);

const CONTRACT = /^-- contract after (\S+): \S/m;
const BRIEF = /^-- brief: \S/m;

/**
 * What the version before could not live with in migrations that it does not know, a line each. A statement that takes
 * away what no version uses any more says so (`-- contract after TAG: why`) and stores what a version must know in
 * `schema_needs`; one that holds its locks only briefly, since its table is small, says so, too (`-- brief: why`).
 * @param migrations in their order, those that the version before lacks
 * @param times time of every migration by its tag, as in the journal
 * @param isKnownBefore whether the version before has a migration; null: not known
 */
export function refusedSteps(
  migrations: readonly Migration[],
  times: ReadonlyMap<string, number>,
  isKnownBefore: ((tag: string) => boolean) | null,
): string[] {
  const made: Made = { tables: new Set(), functions: new Set(), others: new Set() };
  return migrations.flatMap(({ tag, sql }) =>
    sql.split('--> statement-breakpoint').flatMap((part) => {
      const faults = (parseSync(part).stmts ?? []).flatMap(({ stmt }) =>
        stmt ? faultsOf(stmt, made, sql) : [],
      );
      const after = CONTRACT.exec(part)?.[1];
      if (after !== undefined) return contractFaults(after).map((fault) => `${tag}: ${fault}`);
      const open = BRIEF.test(part) ? faults.filter(({ isLock }) => !isLock) : faults;
      return open.map(({ text }) => `${tag}: ${text}`);

      function contractFaults(earlier: string): string[] {
        const at = times.get(earlier);
        if (at === undefined) return [`"contract after ${earlier}" names no migration`];
        const faults: string[] = [];
        if (isKnownBefore?.(earlier) === false)
          faults.push(`the version before does not know ${earlier} yet: contract one release later`);
        if (!new RegExp(`insert into "?schema_needs"?[^;]*\\b${at}\\b`, 'i').test(sql))
          faults.push(
            `a contract step says what a version must know: INSERT INTO schema_needs VALUES (${at})`,
          );
        return faults;
      }
    }),
  );
}

type StatementFault = { text: string; isLock: boolean };
const breaks = (text: string): StatementFault => ({ text, isLock: false });
const locks = (text: string): StatementFault => ({ text, isLock: true });

function faultsOf(statement: Node, made: Made, file: string): StatementFault[] {
  const [[type, body]] = Object.entries(statement) as [[string, never]];
  if ('AlterTableStmt' in statement) {
    const { relation, cmds = [], objtype } = statement.AlterTableStmt;
    const table = relation?.relname ?? '';
    if (objtype !== 'OBJECT_TABLE')
      return [breaks(`ALTER of ${table}, which is no table, is not known to be safe`)];
    if (made.tables.has(table)) {
      return cmds.flatMap((cmd) => {
        const def = 'AlterTableCmd' in cmd ? cmd.AlterTableCmd.def : undefined;
        return def ? keyFaults(table, [def], made) : [];
      });
    }
    return cmds.flatMap((cmd) =>
      'AlterTableCmd' in cmd ? changeFaults(table, cmd.AlterTableCmd, file) : [],
    );
  }
  if ('IndexStmt' in statement) {
    const { relation, unique, if_not_exists: isOptional, idxname = '' } = statement.IndexStmt;
    const table = relation?.relname ?? '';
    if (made.tables.has(table)) return [];
    if (unique)
      return [breaks(`unique index ${idxname} forbids what the version before may write into ${table}`)];
    if (!LARGE.has(table) || isOptional) return [];
    return [
      locks(
        `index ${idxname} stops all writes to ${table} while it is built: make it IF NOT EXISTS, so that operators can ` +
          'build it CONCURRENTLY before',
      ),
    ];
  }
  if ('DropStmt' in statement) {
    const { objects = [], removeType } = statement.DropStmt;
    return objects.flatMap((object) => {
      const name = nameOf(object);
      const isNew = removeType === 'OBJECT_FUNCTION' ? made.functions.has(name) : isMade(made, name);
      return isNew ? [] : [breaks(`DROP of ${name}, which the version before may use`)];
    });
  }
  if ('RenameStmt' in statement) {
    const { relation, subname, newname } = statement.RenameStmt;
    if (made.tables.has(relation?.relname ?? '')) return [];
    return [
      breaks(
        `RENAME of ${subname ?? relation?.relname} to ${newname}, which the version before does not know`,
      ),
    ];
  }
  if ('AlterEnumStmt' in statement) {
    return statement.AlterEnumStmt.oldVal
      ? [breaks(`RENAME of the value ${statement.AlterEnumStmt.oldVal}`)]
      : [];
  }
  if ('UpdateStmt' in statement || 'DeleteStmt' in statement) {
    const { relation } = body as { relation?: { relname?: string } };
    const table = relation?.relname ?? '';
    if (made.tables.has(table) || !LARGE.has(table)) return [];
    return [locks(`${type} of ${table} locks its rows until all migrations are stored`)];
  }
  note(statement, made);
  if ('CreateStmt' in statement) {
    const { relation, tableElts = [] } = statement.CreateStmt;
    return keyFaults(relation?.relname ?? '', tableElts, made);
  }
  return HARMLESS.has(type) ? [] : [breaks(`${type} is not known to be safe`)];
}

/** Rows of a new table must not keep rows of an old one from being deleted: the version before knows no such table. */
function keyFaults(table: string, parts: readonly Node[], made: Made): StatementFault[] {
  return parts.flatMap((part) => {
    if ('ColumnDef' in part) return keyFaults(table, part.ColumnDef.constraints ?? [], made);
    if (!('Constraint' in part) || part.Constraint.contype !== 'CONSTR_FOREIGN') return [];
    const { pktable, fk_del_action: action = 'a' } = part.Constraint;
    const target = pktable?.relname ?? '';
    if (made.tables.has(target) || !['a', 'r'].includes(action)) return [];
    return [
      breaks(`rows of ${table} keep the version before from deleting rows of ${target}: add ON DELETE`),
    ];
  });
}

/** Things that a statement makes, so that later ones may change them. */
function note(statement: Node, made: Made): void {
  if ('CreateStmt' in statement) made.tables.add(statement.CreateStmt.relation?.relname ?? '');
  if ('ViewStmt' in statement && !statement.ViewStmt.replace)
    made.others.add(statement.ViewStmt.view?.relname ?? '');
  if ('CreateTrigStmt' in statement) made.others.add(statement.CreateTrigStmt.trigname ?? '');
  if ('CreateFunctionStmt' in statement && !statement.CreateFunctionStmt.replace) {
    const { funcname = [], parameters = [] } = statement.CreateFunctionStmt;
    const types = parameters.flatMap((one) =>
      'FunctionParameter' in one && one.FunctionParameter.mode !== 'FUNC_PARAM_TABLE'
        ? [typeName(one.FunctionParameter.argType)]
        : [],
    );
    made.functions.add(`${namesIn(funcname)}(${types})`);
  }
}

const isMade = ({ tables, others }: Made, name: string) =>
  tables.has(name) || others.has(name.split('.').at(-1) ?? name);

function changeFaults(table: string, cmd: AlterTableCmd, file: string): StatementFault[] {
  const { subtype = '', name, def } = cmd;
  if (subtype === 'AT_AddColumn' && def && 'ColumnDef' in def) return columnFaults(table, def.ColumnDef);
  if (subtype === 'AT_AddConstraint' && def && 'Constraint' in def)
    return constraintFaults(table, def.Constraint);
  // A check that is replaced by a wider one, in the same migration.
  if (subtype === 'AT_DropConstraint' && new RegExp(`ADD CONSTRAINT "?${name}"?\\s`, 'i').test(file))
    return [];
  if (subtype === 'AT_ColumnDefault' && def) return [];
  if (HARMLESS_CHANGES.has(subtype)) return [];
  const what: Record<string, string> = {
    AT_DropColumn: `DROP of column ${table}.${name}, which the version before may use`,
    AT_AlterColumnType: `new type of ${table}.${name}: the table is written anew, and the version before expects the old one`,
    AT_SetNotNull: `NOT NULL of ${table}.${name}: the version before may store null`,
    AT_DropNotNull: `null in ${table}.${name}: the version before does not expect it`,
    AT_ColumnDefault: `DROP DEFAULT of ${table}.${name}: the version before may rely on it`,
    AT_DropConstraint: `DROP of constraint ${name}, which the version before may rely on`,
  };
  return [breaks(what[subtype] ?? `${subtype} of ${table} is not known to be safe`)];
}

function columnFaults(table: string, { colname, constraints = [] }: ColumnDef): StatementFault[] {
  const found = constraints.flatMap((one) => ('Constraint' in one ? [one.Constraint] : []));
  const has = (type: string) => found.some(({ contype }) => contype === type);
  const column = `${table}.${colname}`;
  const value = found.find(({ contype }) => contype === 'CONSTR_DEFAULT')?.raw_expr;
  return [
    ...(has('CONSTR_NOTNULL') && !value
      ? [breaks(`new column ${column} is NOT NULL without a default: the version before cannot insert rows`)]
      : []),
    ...(value && !isConstant(value)
      ? [locks(`the default of ${column} is no constant: the whole table is written anew`)]
      : []),
    ...(has('CONSTR_GENERATED') ? [locks(`${column} is computed: the whole table is written anew`)] : []),
    ...found.flatMap((constraint) =>
      ['CONSTR_NOTNULL', 'CONSTR_DEFAULT', 'CONSTR_NULL', 'CONSTR_GENERATED'].includes(
        constraint.contype ?? '',
      )
        ? []
        : constraintFaults(table, constraint),
    ),
  ];
}

/** A constant, perhaps with a type, or the time of the transaction. */
function isConstant(node: Node): boolean {
  if ('TypeCast' in node) return node.TypeCast.arg !== undefined && isConstant(node.TypeCast.arg);
  if ('FuncCall' in node) return namesIn(node.FuncCall.funcname ?? []) === 'now';
  if ('A_Expr' in node)
    return !node.A_Expr.lexpr && node.A_Expr.rexpr !== undefined && isConstant(node.A_Expr.rexpr);
  return 'A_Const' in node || 'SQLValueFunction' in node;
}

function constraintFaults(table: string, { contype, conname = '', skip_validation: isLater }: Constraint) {
  const name = `constraint ${conname} of ${table}`.replace('  ', ' ');
  if (contype === 'CONSTR_UNIQUE' || contype === 'CONSTR_PRIMARY' || contype === 'CONSTR_EXCLUSION')
    return [breaks(`${name} forbids what the version before may write`)];
  return isLater
    ? []
    : [locks(`${name} reads the whole table while all wait: add it NOT VALID, validate it later`)];
}

const namesIn = (nodes: readonly Node[]) =>
  nodes.map((node) => ('String' in node ? node.String.sval : '')).join('.');

function typeName(type: { names?: Node[] } | undefined): string {
  return namesIn(type?.names ?? []);
}

/** The name of what is dropped: `table`, `table.trigger`, `function(types)`. */
function nameOf(object: Node): string {
  if ('List' in object) return namesIn(object.List.items ?? []);
  if ('TypeName' in object) return typeName(object.TypeName);
  if (!('ObjectWithArgs' in object)) return '';
  const { objname = [], objargs = [] } = object.ObjectWithArgs;
  return `${namesIn(objname)}(${objargs.map((one) => ('TypeName' in one ? typeName(one.TypeName) : ''))})`;
}
