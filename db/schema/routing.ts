import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { flag, id, isOneOf, timestamp } from './columns.ts'

const stages = ['proxy', 'shadow', 'canary', 'native', 'retired'] as const
const modes = ['observe', 'recommend', 'auto'] as const
const sides = ['core', 'native'] as const

/**
 * How far each scope (a label, `area.*` or `*`) has moved towards native. A label that has no row keeps the runtime
 * that it has in the route table.
 */
export const routeState = pgTable(
  'route_state',
  {
    scope: text().primaryKey(),
    /** Null for areas and `*`. */
    stage: text('state', { enum: stages }),
    weightBp: integer().notNull(),
    killed: flag(),
    held: flag(),
    mode: text({ enum: modes }).notNull(),
    evidenceKey: text(),
    failedEvidenceKey: text(),
    drillUntil: timestamp(),
    version: integer().notNull(),
  },
  (table) => [
    check('route_state_state', isOneOf(table.stage, stages)),
    check('route_state_mode', isOneOf(table.mode, modes)),
    check('route_state_weight', sql`${table.weightBp} between 0 and 10000`),
    check(
      'route_state_weight_of_state',
      sql`case ${table.stage} when 'canary' then ${table.weightBp} between 1 and 9999
        when 'native' then ${table.weightBp} = 10000 when 'retired' then ${table.weightBp} = 10000
        else ${table.weightBp} = 0 end`,
    ),
  ],
)

/** The number of the newest routing state. A single row, which each routing change locks and increments. */
export const routingEpoch = pgTable(
  'routing_epoch',
  {
    singleton: boolean().primaryKey().default(true),
    epoch: integer().notNull(),
  },
  (table) => [check('routing_epoch_singleton', sql`${table.singleton}`)],
)

export const accountOverride = pgTable(
  'account_override',
  {
    accountId: text().notNull(),
    scope: text().notNull(),
    side: text({ enum: sides }).notNull(),
    reason: text().notNull(),
    who: text().notNull(),
    until: timestamp(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.scope] }),
    check('account_override_side', isOneOf(table.side, sides)),
  ],
)

/** Every routing change. Triggers reject UPDATE, DELETE and TRUNCATE. */
export const routeAudit = pgTable(
  'route_audit',
  {
    id: id(),
    at: timestamp().notNull().default(sql`statement_timestamp()`),
    who: text().notNull(),
    scope: text().notNull(),
    action: text().notNull(),
    before: jsonb(),
    after: jsonb(),
    reason: text().notNull(),
    epoch: integer().notNull(),
  },
  (table) => [
    index('route_audit_by_epoch').on(table.epoch),
    index('route_audit_by_scope').on(table.scope, table.epoch),
  ],
)

export const gatewayInstance = pgTable('gateway_instance', {
  id: id(),
  build: text().notNull(),
  keys: jsonb().$type<Readonly<Record<string, string>>>().notNull(),
  epoch: integer().notNull(),
  beatAt: timestamp().notNull().default(sql`statement_timestamp()`),
})

/**
 * Console sessions that ended with a sign-out. Without these rows, their cookies would stay valid until they expire.
 */
export const consoleSignOuts = pgTable('console_sign_outs', {
  sessionId: uuid().primaryKey(),
  signedOutAt: timestamp().notNull().default(sql`statement_timestamp()`),
})
