import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { deployBundle } from './deployed-bundle.ts'
import { userEnvironment } from './run-project.ts'
import { openShell, shells } from './shells.ts'
import { pasteTour } from './tour.ts'

const hasDatabase = isInstalledOrSkipped('postgresql-15', 'the tour of the bundle')
const hasPooler = isInstalledOrSkipped('pgbouncer', 'the tour of the bundle')

describe.runIf(hasDatabase && hasPooler)('the bundle on PostgreSQL 15 behind PgBouncer', () => {
  const started = new AsyncDisposableStack()
  let deployed: Awaited<ReturnType<typeof deployBundle>>
  beforeAll(async () => {
    deployed = await deployBundle(started)
  }, 120_000)
  afterAll(() => started.disposeAsync(), 60_000)

  it('runs every command in the README and the tour', async () => {
    const shell = openShell(shells[0], deployed.folder, userEnvironment)
    await pasteTour(shell, { url: deployed.url, movesRoutes: false })
    shell.close()
    const { status } = await fetch(`${deployed.url}/readyz`)
    expect(status).toBe(200)
  }, 180_000)
})
