import type { Database } from '#db/client/connection.ts'
import type { MetricFamily, ValueFamily } from './metric-family.ts'

type Pools = Readonly<Record<string, Pick<Database, 'usage'>>>
type PoolUsage = ReturnType<Database['usage']>

/** The use of pools of connections, by their names. */
export const createDatabaseFamilies = (pools: Pools): readonly MetricFamily[] => {
  const listUsages = () => Object.entries(pools).map(([pool, { usage }]) => ({ pool, usage: usage() }))
  const gaugeOfPools = (name: string, help: string, read: (usage: PoolUsage) => number): ValueFamily => ({
    name,
    help,
    type: 'gauge',
    labels: ['pool'],
    collect: () => listUsages().map(({ pool, usage }) => ({ labels: { pool }, value: read(usage) })),
  })
  return [
    gaugeOfPools(
      'crossfade_database_connections_in_use',
      'Connections to the database that a statement or a transaction uses.',
      ({ inUse }) => inUse,
    ),
    gaugeOfPools(
      'crossfade_database_connections_max',
      'The most connections that a pool opens.',
      ({ size }) => size,
    ),
    gaugeOfPools(
      'crossfade_database_waiting',
      'Statements and transactions that wait for a connection.',
      ({ waiting }) => waiting,
    ),
    {
      name: 'crossfade_database_acquire_seconds',
      help: 'How long a statement or a transaction waited for a connection, or until its timeout.',
      type: 'histogram',
      labels: ['pool'],
      collect: () =>
        listUsages().map(({ pool, usage }) => ({ labels: { pool }, histogram: usage.acquireTimes })),
    },
  ]
}
