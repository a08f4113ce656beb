import { describe, expect, it } from 'vitest'
import { createDailyTallies, type DailyTallies } from '#migration/control/daily-tallies.ts'

type Tally = { count: number }

describe("a day's tallies", () => {
  const create = () => createDailyTallies<Tally>(() => ({ count: 0 }))
  const count = (tallies: DailyTallies<Tally>, id: string) => {
    const tally = tallies.change(id)
    if (tally) tally.count += 1
  }
  const write = async (tallies: DailyTallies<Tally>, today: string) => {
    const saved: string[] = []
    await tallies.write(today, async (rows) => {
      saved.push(...rows.map(({ id, day, tally }) => `${id} ${day} ${tally.count}`))
    })
    return saved
  }
  const failing = async () => {
    throw new Error('connection lost')
  }

  it('are written only if they have changed', async () => {
    const tallies = create()
    count(tallies, 'a')
    count(tallies, 'b')
    expect(await write(tallies, '2026-11-23')).toEqual(['a 2026-11-23 1', 'b 2026-11-23 1'])
    count(tallies, 'b')
    expect(await write(tallies, '2026-11-23')).toEqual(['b 2026-11-23 2'])
    expect(await write(tallies, '2026-11-23')).toEqual([])
  })

  it('start over the next day, after the remaining counts are written for the previous day', async () => {
    const tallies = create()
    count(tallies, 'a')
    await write(tallies, '2026-11-23')
    count(tallies, 'a')
    expect(await write(tallies, '2026-11-24')).toEqual(['a 2026-11-23 2'])
    count(tallies, 'a')
    expect(await write(tallies, '2026-11-24')).toEqual(['a 2026-11-24 1'])
    // The clock was set back.
    count(tallies, 'a')
    expect(await write(tallies, '2026-11-23')).toEqual(['a 2026-11-24 2'])
  })

  it('are written later if a write fails, even if their day is over by then', async () => {
    const tallies = create()
    count(tallies, 'a')
    await expect(tallies.write('2026-11-23', failing)).rejects.toThrow('connection lost')
    await expect(tallies.write('2026-11-24', failing)).rejects.toThrow('connection lost')
    count(tallies, 'a')
    expect(await write(tallies, '2026-11-24')).toEqual(['a 2026-11-23 1', 'a 2026-11-24 1'])
  })

  it('keep what is counted during a write for the next write', async () => {
    const tallies = create()
    count(tallies, 'a')
    await tallies.write('2026-11-23', async () => count(tallies, 'a'))
    expect(await write(tallies, '2026-11-23')).toEqual(['a 2026-11-23 2'])
  })

  it('are limited in number', async () => {
    const tallies = create()
    for (let id = 0; id < 1000; id += 1) count(tallies, String(id))
    expect(await write(tallies, '2026-11-23')).toHaveLength(200)
  })
})
