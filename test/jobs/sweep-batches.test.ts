import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JobPorts } from '#jobs/ports.ts'
import { startSweeps } from '#jobs/start-sweeps.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createJobPorts } from '#test/support/jobs.ts'

describe('removals of stored objects', () => {
  const gateway = startTestGateway()
  let sweeps: ReturnType<typeof startSweeps> | undefined
  let errors: unknown[]

  const listRemovals = async () =>
    (
      await gateway.database.sql<{ key: string }[]>`
      select storage_key as key from object_removals order by key`
    ).map(({ key }) => key)
  /** Starts sweeps that remove objects from a store with this function. */
  const start = (remove: JobPorts['storage']['remove']) => {
    const unused = () => Promise.reject(new Error('unused'))
    const find = async () => null
    const ports = createJobPorts(gateway, {
      storage: { remove, find, copy: unused, presignGet: unused, presignPut: unused },
    })
    sweeps = startSweeps(
      ports,
      () => true,
      (error) => errors.push(error),
      20,
    )
  }
  beforeEach(() => {
    errors = []
  })
  afterEach(async () => {
    await sweeps?.stop()
    await gateway.database.sql`delete from object_removals`
  })

  it('are made even if the store refuses a batch of earlier ones', async () => {
    await gateway.database.sql`
      insert into object_removals (storage_key, remove_after)
      select 'held ' || n, now() - interval '2 days' from generate_series(1, 12) n
      union all select 'deleted ' || n, now() - interval '1 day' from generate_series(1, 30) n`
    let held = true
    start(async (key) => {
      if (held && key.startsWith('held')) throw new Error('the object is under a legal hold')
    })
    const listDeleted = async () => (await listRemovals()).filter((key) => key.startsWith('deleted'))
    await expect.poll(listDeleted, { timeout: 10_000 }).toEqual([])
    expect(await listRemovals()).toHaveLength(12)
    expect(errors).not.toEqual([])
    held = false
    await gateway.database.sql`update object_removals set remove_after = now()`
    await expect.poll(listRemovals, { timeout: 10_000 }).toEqual([])
  })

  it('end with the current batch when the worker stops', async () => {
    await gateway.database.sql`
      insert into object_removals (storage_key, remove_after)
      select 'deleted ' || n, now() from generate_series(1, 1000) n`
    let removed = 0
    start(async () => {
      removed += 1
    })
    await expect.poll(() => removed, { interval: 1 }).toBeGreaterThan(0)
    await sweeps?.stop()
    const left = (await listRemovals()).length
    expect(left).toBe(1000 - removed)
    expect(left).toBeGreaterThan(0)
    expect(errors).toEqual([])
  })
})
