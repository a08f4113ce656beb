import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startPollMeasurement } from '#migration/control/follow-database.ts'

const block = (ms: number) => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it('a poll measurement says how long a poll waited for the database', async () => {
  const measurement = startPollMeasurement()
  await sleep(30)
  expect(measurement.finish().durationMs).toBeGreaterThan(25)
})

it('a poll measurement detects a blocked event loop, even if only just before the database responds', async () => {
  for (const waitedMs of [0, 20]) {
    const measurement = startPollMeasurement()
    if (waitedMs > 0) await sleep(waitedMs)
    block(80)
    expect(measurement.finish()).toMatchObject({ isDelayed: true })
  }
})

it('a poll measurement detects an event loop that was blocked at the beginning of the poll', async () => {
  const measurement = startPollMeasurement()
  block(80)
  await sleep(20)
  expect(measurement.finish()).toMatchObject({ isDelayed: true })
})
