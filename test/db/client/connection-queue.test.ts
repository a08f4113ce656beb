import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createConnectionQueue, type QueuedConnection } from '#db/client/connection-queue.ts'

interface Named extends QueuedConnection {
  readonly name: number
}

/** On a clock of their own, which stands still unless a test moves it. */
const openTurns = (size: number, patienceMs = 1000) => {
  let opened = 0
  let time = 0
  const turns = createConnectionQueue<Named>({
    open: () => ({ name: opened++, reads: 0, movedAt: 0, promised: false }),
    size,
    patienceMs,
    now: () => time,
  })
  const pass = (ms: number) => {
    time += ms
  }
  return { ...turns, pass }
}

const read = async (turns: ReturnType<typeof openTurns>, times: number) => {
  const lines: Named[] = []
  for (let time = 0; time < times; time += 1) lines.push(await turns.takeForRead())
  return lines
}
const namesOf = (lines: readonly Named[]) => lines.map(({ name }) => name)

describe('turns on connections', () => {
  it('are a connection for each until all are busy, then reads line up where least do', async () => {
    expect(namesOf(await read(openTurns(2), 6))).toEqual([0, 1, 0, 1, 0, 1])
  })

  it('promise a connection to whoever needs one alone, and let reads go on at the others', async () => {
    const turns = openTurns(2)
    const [first, second] = (await read(turns, 2)) as [Named, Named]
    const alone = turns.takeAlone()
    expect(namesOf(await read(turns, 3))).toEqual([1, 1, 1])
    turns.leave(first)
    expect(await alone).toBe(first)
    turns.giveBack(first)
    expect(namesOf(await read(turns, 4))).toEqual([0, 0, 0, 0])
    expect([first.reads, second.reads]).toEqual([4, 4])
  })

  it('reach whoever needs a connection alone although all are full of reads', async () => {
    const turns = openTurns(2)
    const lines = await read(turns, 32)
    const alone = turns.takeAlone()
    const [first] = lines as [Named]
    for (let time = 0; time < 40 && first.reads > 0; time += 1) {
      turns.leave(first)
      if (first.reads > 0 && !first.promised) await turns.takeForRead()
    }
    expect(await alone).toBe(first)
  })

  it('are not promised behind a slow read while another connection moves', async () => {
    const turns = openTurns(2)
    const [slow, quick] = (await read(turns, 2)) as [Named, Named]
    turns.pass(15)
    // Behind both nobody lines up by now; one of them moves again.
    const waiting = [turns.takeForRead(), turns.takeForRead()]
    turns.leave(quick)
    await Promise.all(waiting)
    const alone = turns.takeAlone()
    expect([slow.promised, quick.promised]).toEqual([false, true])
    turns.leave(quick)
    turns.leave(quick)
    expect(await alone).toBe(quick)
    expect(slow.reads).toBe(1)
  })

  it('do not queue up behind a read that has come to a stand, however often one joins', async () => {
    const turns = openTurns(1)
    for (let time = 0; time < 8; time += 1) {
      Promise.resolve(turns.takeForRead()).catch(() => undefined)
      turns.pass(4)
    }
    const [line] = turns.lines
    expect(line?.reads).toBe(3)
  })

  it('let reads that had to wait line up together', async () => {
    const turns = openTurns(1)
    const alone = await turns.takeAlone()
    const waiting = read(turns, 1).then(async ([line]) => [line?.name, ...namesOf(await read(turns, 2))])
    const others = Promise.all([turns.takeForRead(), turns.takeForRead()])
    turns.giveBack(alone)
    expect(namesOf(await others)).toEqual([0, 0])
    expect(await waiting).toEqual([0, 0, 0])
    expect(alone.reads).toBe(5)
  })

  it('come in the order of arrival, so that neither kind keeps the other waiting for ever', async () => {
    const turns = openTurns(1)
    const busy = await turns.takeAlone()
    const order: string[] = []
    const early = Promise.resolve(turns.takeForRead()).then((line) => {
      order.push('read')
      return line
    })
    const alone = Promise.resolve(turns.takeAlone()).then((line) => {
      order.push('alone')
      return line
    })
    turns.giveBack(busy)
    const reading = await early
    const late = Promise.resolve(turns.takeForRead()).then(() => order.push('late read'))
    await sleep(5)
    expect(order).toEqual(['read'])
    turns.leave(reading)
    turns.giveBack(await alone)
    await late
    expect(order).toEqual(['read', 'alone', 'late read'])
  })

  it('end after a while of waiting, and leave the connection to others', async () => {
    const turns = openTurns(1, 20)
    const busy = await turns.takeAlone()
    await expect(turns.takeAlone()).rejects.toThrow('no connection became free within 20 ms')
    await expect(turns.takeForRead()).rejects.toThrow('no connection became free within 20 ms')
    turns.giveBack(busy)
    expect(await turns.takeAlone()).toBe(busy)
  })

  it('go to a new connection when one is given up', async () => {
    const turns = openTurns(1)
    const [lost] = (await read(turns, 1)) as [Named]
    const alone = turns.takeAlone()
    expect(turns.discard(lost)).toBe(true)
    expect(turns.discard(lost)).toBe(false)
    expect((await alone).name).toBe(1)
    turns.leave(lost)
    turns.giveBack(await alone)
    expect(namesOf(await read(turns, 1))).toEqual([1])
  })
})
