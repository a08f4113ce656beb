import { type Statements, selectRows } from '../client/statements.ts'

export interface CatalogEntry {
  /** For example `table public.tracks`. */
  readonly object: string
  /** For example `column title`; empty for the object itself. */
  readonly part: string
  readonly definition: string
}

// Leaves out objects that belong to extensions, and the daily partitions that the job worker creates and drops.
const entries = `with spaces as (
  select oid, nspname from pg_namespace where nspname in ('public', 'pgboss')
), relations as (
  select c.*, format('table %s.%s', nspname, relname) as object from pg_class c join spaces on spaces.oid = relnamespace
  where relkind in ('r', 'p', 'v', 'm')
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    and not (relispartition and relname ~ '^queue_stats_[0-9]{8}$')
)
select object, '' as part, concat_ws(' ',
    case relkind when 'p' then 'partitioned' when 'v' then 'view' when 'm' then 'materialized view' end,
    case relpersistence when 'u' then 'unlogged' end, case when relrowsecurity then 'row security' end,
    case relkind when 'p' then pg_get_partkeydef(oid) end, pg_get_expr(relpartbound, oid),
    case when relkind in ('v', 'm') then pg_get_viewdef(oid) end) as definition
  from relations
union all
select object, 'column ' || attname, concat_ws(' ', format_type(atttypid, atttypmod),
    case when attnotnull then 'not null' end,
    case when attgenerated = '' then 'default ' else 'generated as ' end || pg_get_expr(adbin, adrelid),
    case when attidentity <> '' then 'identity' end,
    (select 'collate ' || collname from pg_collation join pg_type on pg_type.oid = atttypid
      where pg_collation.oid = attcollation and attcollation <> typcollation))
  from relations join pg_attribute on attrelid = relations.oid and attnum > 0 and not attisdropped
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
union all
select object, 'constraint ' || conname, pg_get_constraintdef(c.oid)
  from relations join pg_constraint c on conrelid = relations.oid and contype <> 'n'
union all
select object, 'index ' || i.relname, pg_get_indexdef(indexrelid) || case when indisvalid then '' else ' INVALID' end
  from relations join pg_index on indrelid = relations.oid join pg_class i on i.oid = indexrelid
  where not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
union all
select object, 'trigger ' || tgname, pg_get_triggerdef(t.oid) || case tgenabled when 'O' then '' else ' DISABLED' end
  from relations join pg_trigger t on tgrelid = relations.oid and not tgisinternal and tgparentid = 0
union all
select format('function %s.%s(%s)', nspname, proname, pg_get_function_identity_arguments(p.oid)), '',
    pg_get_functiondef(p.oid)
  from pg_proc p join spaces on spaces.oid = pronamespace
  where prokind in ('f', 'p')
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
union all
select format('type %s.%s', nspname, typname), '', string_agg(enumlabel, ', ' order by enumsortorder)
  from pg_type join spaces on spaces.oid = typnamespace join pg_enum on enumtypid = pg_type.oid
  group by nspname, typname`

// Rows that migrations insert and that the job worker needs in order to start. A schema-only dump lacks them.
const jobQueueEntries = `select 'table pgboss.version' as object, 'row' as part, version::text as definition
  from pgboss.version
union all
select 'table pgboss.queue', 'row ' || name, '' from pgboss.queue`

export const readCatalog = async (sql: Statements): Promise<readonly CatalogEntry[]> => {
  const [found] = await selectRows<{ jobQueues: boolean }>(
    sql,
    `select to_regclass('pgboss.version') is not null and to_regclass('pgboss.queue') is not null as "jobQueues"`,
  )
  return selectRows<CatalogEntry>(sql, found?.jobQueues ? `${entries} union all ${jobQueueEntries}` : entries)
}
