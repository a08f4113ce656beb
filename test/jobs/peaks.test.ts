import { describe, expect, it } from 'vitest'
import { createPeakMeter } from '#jobs/analysis/peaks.ts'

describe('createPeakMeter', () => {
  // Each block fills one pixel of the finest resolution. From block to block, the left channel falls by one step and
  // the right channel rises by one.
  const measure = (blocks: number, maxValues?: number) => {
    const meter = createPeakMeter(2, maxValues)
    for (let step = 1; step <= blocks; step++)
      meter.add([new Float32Array(256).fill(-step / 128), new Float32Array(256).fill(step / 128)])
    return meter.waveform(8000)
  }
  const dataOf = (blocks: number, maxValues?: number) => [...measure(blocks, maxValues).data]

  it('uses the finest resolution until the maximum number of values is reached', () => {
    expect(measure(4, 16)).toMatchObject({ samplesPerPixel: 256, length: 4 })
    expect(dataOf(4, 16)).toEqual([-1, -1, 1, 1, -2, -2, 2, 2, -3, -3, 3, 3, -4, -4, 4, 4])
  })

  it('merges pixel pairs when the maximum is exceeded', () => {
    expect(measure(5, 16)).toMatchObject({ samplesPerPixel: 512, length: 3 })
    expect(dataOf(5, 16)).toEqual([-2, -1, 1, 2, -4, -3, 3, 4, -5, -5, 5, 5])
    expect(measure(9, 16)).toMatchObject({ samplesPerPixel: 1024, length: 3 })
    expect(dataOf(9, 16)).toEqual([-4, -1, 1, 4, -8, -5, 5, 8, -9, -9, 9, 9])
  })

  it('stores 45 minutes of stereo at the finest resolution', () => {
    const meter = createPeakMeter(2)
    const second = new Float32Array(48_000)
    for (let at = 0; at < 2700; at++) meter.add([second, second])
    expect(meter.waveform(48_000)).toMatchObject({ samplesPerPixel: 256, length: 506_250 })
  })
})
