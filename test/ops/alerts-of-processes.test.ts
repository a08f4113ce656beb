import { describe, expect, it } from 'vitest'
import { killProcessesAfterEach, startProcesses } from '#test/gateway/process/group/start-processes.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { expectAlerts } from '#test/support/promtool.ts'
import { requestAt } from '#test/support/request-at.ts'

const core = startTestGateway({ core: 'recording' })
killProcessesAfterEach()

describe('the alert of missing processes', () => {
  it.runIf(isInstalledOrSkipped('prometheus', 'the tests of alerts'))(
    'is raised while a process does not respond',
    async () => {
      const gateway = await startProcesses({ ...core.environment, PROCESSES: '2' })
      const scrape = async () => String((await requestAt(gateway.adminUrl, 'GET', '/metrics')).body)
      const before = await scrape()
      const [, second] = await gateway.listProcesses()
      process.kill(second?.pid ?? 0, 'SIGSTOP')
      await expect.poll(scrape, { timeout: 30_000 }).toMatch(/^crossfade_processes 1$/m)
      const during = [await scrape()]
      await expectAlerts(['CrossfadeProcessesMissing'], [{ job: 'crossfade-gateway', before, during }])
    },
    120_000,
  )
})
