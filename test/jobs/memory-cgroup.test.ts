import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createMemoryCgroup } from '#jobs/analysis/memory-cgroup.ts'

const limitBytes = 64 * 1024 * 1024
const probe = createMemoryCgroup(limitBytes)
await probe?.remove()

// Needs permission to create cgroups. A service with a delegated cgroup has it; most containers do not.
describe.skipIf(probe === null)('createMemoryCgroup', () => {
  it('creates a group that kills a process above the limit, and that can then be removed', async () => {
    const cgroup = createMemoryCgroup(limitBytes)!
    const program = `process.once('message', () => { globalThis.buffer = Buffer.alloc(2 ** 28, 1) }); process.send(0)`
    const child = fork('-e', [program], { execArgv: [] })
    await once(child, 'message')
    cgroup.add(child.pid!)
    child.send(0)
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGKILL')
    expect(cgroup.hasKilled()).toBe(true)
    expect(existsSync(cgroup.path)).toBe(true)
    await cgroup.remove()
    expect(existsSync(cgroup.path)).toBe(false)
  })
})
