import { expect, it } from 'vitest'
import { mapInSlices } from '#shared/map-in-slices.ts'

const busyFor = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

it('mapInSlices lets lists that are mapped at the same time take turns', async () => {
  const finished: string[] = []
  const map = async (name: string, length: number) => {
    const items = Array.from({ length }, (_, index) => index)
    const mapped = await mapInSlices(items, (index) => {
      busyFor(1)
      return index
    })
    expect(mapped).toEqual(items)
    finished.push(name)
  }
  const long = [map('long', 300), map('long', 300), map('long', 300)]
  const short = map('short', 20)
  await Promise.all([...long, short])
  expect(finished).toEqual(['short', 'long', 'long', 'long'])
})
