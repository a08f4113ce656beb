import { expect, it } from 'vitest'
import { listRemovedSettings } from '#gateway/settings/settings.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { killGatewaysAfterEach, startGatewayProcess } from '#test/support/gateway-process.ts'

const harness = startTestGateway({ core: 'recording' })
killGatewaysAfterEach()
// On a busy machine, a process's log lines arrive late.
const slow = { timeout: 10_000 }

it('PROCESSES and the signal SIGUSR2 each cause only a warning', async () => {
  const { url, child, lines } = await startGatewayProcess({ ...harness.environment, PROCESSES: '4' })
  const listOthers = () => lines.filter(({ level }) => level !== 'info')
  const removed = {
    msg: 'removed setting ignored',
    setting: 'PROCESSES',
    advice: expect.stringContaining('each with its own PORT and ADMIN_PORT'),
  }
  await expect.poll(listOthers, slow).toMatchObject([removed])
  child.kill('SIGUSR2')
  await expect
    .poll(listOthers, slow)
    .toMatchObject([removed, { level: 'warn', msg: 'restart of gateway processes ignored' }])
  expect((await fetch(`${url}/v1/tracks`)).status).toBe(200)
}, 60_000)

it.each(['AI_MAX_MESSAGES', 'RATE_LIMIT_IDEMPOTENCY_KEYS'])('%s is a removed setting', (setting) => {
  expect(listRemovedSettings({ [setting]: '2' })).toMatchObject([{ setting }])
})

it.each(['1', 'auto', 'nonsense'])('PROCESSES=%s is a removed setting', (value) => {
  expect(listRemovedSettings({ PROCESSES: value })).toMatchObject([{ setting: 'PROCESSES' }])
})

it('a removed setting that is empty or unset causes no warning', () => {
  expect(listRemovedSettings({ PROCESSES: '', PORT: '8787' })).toEqual([])
})
