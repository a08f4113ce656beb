import { describe, expect, it } from 'vitest'
import { BodyProgress, defaultBodyProgressLimits } from '#proxy/body-progress.ts'

const startProgress = () => {
  const progress = new BodyProgress(defaultBodyProgressLimits)
  progress.resume(0)
  return progress
}

describe('the time limit for a body', () => {
  it('allows ten seconds without any bytes', () => {
    expect(startProgress().deadline).toBe(10_000)
  })

  it('allows a pause of thirty seconds if the client was fast enough before', () => {
    const progress = startProgress()
    progress.receive(1_000_000, 1000)
    expect(progress.deadline).toBe(31_000)
  })

  it('requires an average of one KiB a second after ten seconds', () => {
    const progress = startProgress()
    progress.receive(5 * 1024, 1000)
    expect(progress.deadline).toBe(10_000)
    progress.receive(7 * 1024, 9000)
    expect(progress.deadline).toBe(12_000)
    progress.receive(1, 11_999)
    expect(progress.deadline).toBeCloseTo(12_001, 0)
  })

  it('excludes time when the gateway is not reading', () => {
    const progress = startProgress()
    progress.receive(12 * 1024, 9000)
    progress.pause(9000)
    expect([progress.isWaiting, progress.deadline]).toEqual([false, Number.POSITIVE_INFINITY])
    progress.resume(500_000)
    expect([progress.isWaiting, progress.deadline]).toEqual([true, 503_000])
  })

  it('allows a client the full pause again once the gateway resumes reading', () => {
    const progress = startProgress()
    progress.receive(1_000_000, 1000)
    progress.resume(25_000)
    progress.pause(26_000)
    progress.resume(60_000)
    expect(progress.deadline).toBe(90_000)
  })
})
