import { setTimeout as sleep } from 'node:timers/promises'
import { describe } from 'vitest'
import {
  isAbove,
  itWithPromtool,
  gatewayJob as job,
  repeat,
  scrape,
  scrapeDuring,
  scrapeUntil,
} from '#test/support/alert-scrapes.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { expectAlerts } from '#test/support/promtool.ts'
import { replyOk } from '#test/support/raw-core.ts'

describe('a core that is down', () => {
  const gateway = startTestGateway({ core: 'recording' })

  itWithPromtool('raises the alerts for its breaker and for errors', async () => {
    const send = () => repeat(6, () => gateway.request('POST', '/v1/tracks'))
    await send()
    const before = await scrape(gateway)
    await gateway.stopCore()
    const during = await scrapeDuring(gateway, send)
    await expectAlerts(
      ['CrossfadeCoreBreakerOpen', 'CrossfadeErrors', 'CrossfadeAvailabilityBurnsFast'],
      [{ job, before, during }],
    )
  })
})

describe('a core that hangs', () => {
  const gateway = startTestGateway({ core: 'recording' })

  itWithPromtool('raises the alerts for its breaker, for hangs and for errors', async () => {
    const send = () => repeat(6, () => gateway.request('GET', '/v1/tracks'))
    await send()
    const before = await scrape(gateway)
    gateway.core.nextReplies.push(...Array.from({ length: 1000 }, () => () => {}))
    const during = await scrapeDuring(gateway, send)
    gateway.core.nextReplies.length = 0
    await expectAlerts(
      ['CrossfadeCoreBreakerOpen', 'CrossfadeCoreHung', 'CrossfadeErrors'],
      [{ job, before, during }],
    )
  })
})

describe('a core that takes over a second', () => {
  const gateway = startTestGateway({ core: 'recording' })

  itWithPromtool('raises the alert for slow requests', async () => {
    const send = () => repeat(4, () => gateway.request('GET', '/v1/tracks'))
    await send()
    const before = await scrape(gateway)
    const during = await scrapeDuring(gateway, () => {
      for (let request = 0; request < 4; request += 1)
        gateway.core.nextReplies.push((socket, received) => {
          void sleep(1200).then(() => replyOk(socket, received))
        })
      return send()
    })
    await expectAlerts(['CrossfadeSlow', 'CrossfadeLatencyBurnsFast'], [{ job, before, during }])
  })
})

describe('a client that occupies all slots of the core', () => {
  const gateway = startTestGateway({ core: 'recording' })

  itWithPromtool('raises the alert for a saturated core', async () => {
    const before = await scrape(gateway)
    const sockets: (() => void)[] = []
    for (let request = 0; request < 200; request += 1)
      gateway.core.nextReplies.push((socket) => void sockets.push(() => socket.destroy()))
    const requests = repeat(200, () => gateway.request('GET', '/v1/tracks').catch(() => null))
    const during = [
      await scrapeUntil(gateway, {
        metric: 'crossfade_core_requests_waiting',
        labels: { lane: 'requests' },
        isReached: isAbove(0),
      }),
    ]
    for (const destroy of sockets) destroy()
    gateway.core.nextReplies.length = 0
    await requests
    await expectAlerts(['CrossfadeCoreSaturated'], [{ job, before, during }])
  })
})
