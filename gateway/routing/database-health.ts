import { PolledDatabaseHealth } from '#migration/routing/stop/polled-database-health.ts'
import type { Log } from '../observability/log.ts'

/** Measures the database by the polls of the routing state, and logs when they fail or take longer than usual. */
export const createDatabaseHealth = (log: Pick<Log, 'info' | 'warn'>) =>
  new PolledDatabaseHealth({
    now: () => performance.now(),
    onChange: (database) =>
      database === 'normal'
        ? log.info({}, 'automatic stops resumed')
        : log.warn({ database }, 'automatic stops paused'),
  })
