import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startPollMeasurement } from '#migration/control/follow-database.ts'

const block = (ms: number) => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it('measures how long a poll waits for the database', async () => {
  const measurement = startPollMeasurement()
  await sleep(30)
  expect(measurement.finish().durationMs).toBeGreaterThan(25)
})

it('detects that the event loop was blocked during a poll, even if only just before the database responded', async () => {
  for (const waitedMs of [0, 20]) {
    const measurement = startPollMeasurement()
    if (waitedMs > 0) await sleep(waitedMs)
    block(80)
    expect(measurement.finish()).toMatchObject({ isDelayed: true })
  }
})

it('recognizes that the event loop was blocked at the beginning of a poll', async () => {
  const measurement = startPollMeasurement()
  block(80)
  await sleep(20)
  expect(measurement.finish()).toMatchObject({ isDelayed: true })
})
