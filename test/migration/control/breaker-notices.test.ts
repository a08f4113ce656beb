import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startBreakerNotices } from '#migration/control/breaker-notices.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const intervalMs = 10

describe('the notice about an open breaker', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    await database.sql`delete from fleet_observations`
    await database.sql`delete from pgboss.job`
  })

  const startInstance = () => {
    const log = createRecordingLog()
    const state = { open: [] as readonly string[], at: 1000, checks: 0 }
    const notices = startBreakerNotices({
      db: database.db,
      listOpen: () => {
        state.checks += 1
        return state.open
      },
      now: () => state.at,
      log,
      intervalMs,
    })
    return {
      log,
      close: notices.close,
      async advance(seconds: number, open: readonly string[]) {
        Object.assign(state, { at: state.at + seconds * 1000, open })
        const { checks } = state
        // Waits for two checks, because the second one begins only after the first has ended.
        await expect.poll(() => state.checks, { interval: 5 }).toBeGreaterThan(checks + 1)
      },
    }
  }
  const listNotices = async () => {
    const rows = await database.sql`
      select data->'notice' as notice from pgboss.job where name = 'notify-operators' order by created_on`
    return rows.map(({ notice }) => notice)
  }

  it('is sent once, not once per instance, after the breaker has been open for over a minute', async () => {
    const instances = [startInstance(), startInstance(), startInstance()]
    const advanceAll = (seconds: number, open: readonly string[]) =>
      Promise.all(instances.map((instance) => instance.advance(seconds, open)))
    await advanceAll(0, ['core'])
    for (let elapsed = 0; elapsed < 60; elapsed += 10) await advanceAll(10, ['core'])
    expect(await listNotices()).toEqual([])
    await advanceAll(1, ['core'])
    expect(await listNotices()).toEqual([
      expect.objectContaining({
        type: 'breaker.open',
        summary: expect.stringContaining("core's circuit breaker has been open for more than a minute"),
        details: { breaker: 'core' },
      }),
    ])
    for (let elapsed = 0; elapsed < 120; elapsed += 10) await advanceAll(10, ['core', 'tracks.list'])
    const told = (await listNotices()).map(({ details }) => details.breaker)
    expect(told).toEqual(['core', 'tracks.list'])
    for (const instance of instances) await instance.close()
  })

  it('is sent again only after no instance has reported an open breaker for two minutes', async () => {
    const instance = startInstance()
    const openForAMinute = async () => {
      await instance.advance(20, ['core'])
      for (let elapsed = 0; elapsed <= 60; elapsed += 10) await instance.advance(10, ['core'])
    }
    await openForAMinute()
    await instance.advance(20, [])
    await openForAMinute()
    expect(await listNotices()).toHaveLength(1)
    await instance.advance(20, [])
    await database.sql`update fleet_observations
      set observed = observed || jsonb_build_object('seenAt', now() - interval '3 minutes')`
    await openForAMinute()
    expect(await listNotices()).toHaveLength(2)
    await instance.close()
  })

  it('is sent even if native is tried for up to 15 seconds in between, but not if it is tried for longer', async () => {
    const instance = startInstance()
    for (let elapsed = 0; elapsed < 120; elapsed += 30) {
      await instance.advance(14, ['tracks.list'])
      await instance.advance(16, [])
    }
    expect(await listNotices()).toEqual([])
    for (let elapsed = 0; elapsed < 70; elapsed += 14) {
      await instance.advance(7, ['tracks.list'])
      await instance.advance(7, [])
    }
    await instance.advance(1, ['tracks.list'])
    expect(await listNotices()).toHaveLength(1)
    await instance.close()
  })

  it('is sent once the database works again, even if earlier attempts to store it failed', async () => {
    const instance = startInstance()
    await database.sql`alter table fleet_observations rename to renamed`
    await instance.advance(0, ['core'])
    for (let elapsed = 0; elapsed <= 60; elapsed += 10) await instance.advance(10, ['core'])
    expect(instance.log.lines.map(({ message }) => message)).toEqual(['failed to report open breakers'])
    await database.sql`alter table renamed rename to fleet_observations`
    await instance.advance(1, ['core'])
    expect(await listNotices()).toHaveLength(1)
    await instance.close()
  })
})
