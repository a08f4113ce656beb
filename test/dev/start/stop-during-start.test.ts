import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSandbox } from '#dev/start/start-sandbox.ts'

// Takes long, because it starts every process of the sandbox.
it('a second stop also stops a sandbox part that became ready during the first stop', {
  timeout: 60_000,
}, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'stop-during-start-'))
  const sandbox = createSandbox({ stateDir, given: { PORT: '0' } })
  const starting = sandbox.start()
  await expect.poll(() => existsSync(join(stateDir, 'postgres')), { timeout: 20_000 }).toBe(true)
  await sandbox.stop()
  await expect(starting).resolves.toMatchObject({ gateway: {} })
  await sandbox.stop()
  await sandbox.remove()
})
