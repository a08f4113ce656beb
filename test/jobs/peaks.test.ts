import { describe, expect, it } from 'vitest'
import { createPeakMeter } from '#jobs/analysis/peaks.ts'

describe('a waveform', () => {
  // Each block is as long as a finest pixel: it sinks by a step on the left and rises by one on the right.
  const measure = (blocks: number, mostValues?: number) => {
    const meter = createPeakMeter(2, mostValues)
    for (let step = 1; step <= blocks; step++)
      meter.add([new Float32Array(256).fill(-step / 128), new Float32Array(256).fill(step / 128)])
    return meter.waveform(8000)
  }
  const dataOf = (blocks: number, mostValues?: number) => [...measure(blocks, mostValues).data]

  it('keeps every pixel as long as there is room', () => {
    expect(measure(4, 16)).toMatchObject({ samplesPerPixel: 256, length: 4 })
    expect(dataOf(4, 16)).toEqual([-1, -1, 1, 1, -2, -2, 2, 2, -3, -3, 3, 3, -4, -4, 4, 4])
  })

  it('makes one pixel of two when there is none left', () => {
    expect(measure(5, 16)).toMatchObject({ samplesPerPixel: 512, length: 3 })
    expect(dataOf(5, 16)).toEqual([-2, -1, 1, 2, -4, -3, 3, 4, -5, -5, 5, 5])
    expect(measure(9, 16)).toMatchObject({ samplesPerPixel: 1024, length: 3 })
    expect(dataOf(9, 16)).toEqual([-4, -1, 1, 4, -8, -5, 5, 8, -9, -9, 9, 9])
  })

  it('has room for three quarters of an hour of stereo', () => {
    const meter = createPeakMeter(2)
    const second = new Float32Array(48_000)
    for (let at = 0; at < 2700; at++) meter.add([second])
    expect(meter.waveform(48_000)).toMatchObject({ samplesPerPixel: 256, length: 506_250 })
  })
})
