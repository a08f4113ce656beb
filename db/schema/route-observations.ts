import { jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * What an instance has recently observed about a route. A newer report replaces the row and an evaluation deletes it,
 * so there is at most one row per instance and route. Counts are those of `migration/model/stop`. The table is
 * unlogged, so a database crash loses a few seconds.
 */
export const routeObservations = pgTable(
  'route_observations',
  {
    instanceId: text().notNull(),
    label: text().notNull(),
    report: jsonb().notNull(),
    reportedAt: timestamp().notNull(),
  },
  (table) => [primaryKey({ columns: [table.instanceId, table.label] })],
)

/**
 * What all instances together have observed about a route since its state last changed. The label `*` stands for all
 * routes. The label `breaker NAME` stores since when a breaker has been reported open. This table is unlogged too.
 */
export const fleetObservations = pgTable('fleet_observations', {
  label: text().primaryKey(),
  observed: jsonb().notNull(),
})

/**
 * How each side usually serves a route. Native is compared with this after a restart, and when native serves
 * everything.
 */
export const routeBaseline = pgTable(
  'route_baseline',
  {
    label: text().notNull(),
    side: text({ enum: ['core', 'native'] }).notNull(),
    baseline: jsonb().notNull(),
    writtenAt: timestamp().notNull(),
  },
  (table) => [primaryKey({ columns: [table.label, table.side] })],
)
