import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '#db/client/connection.ts'
import { freshDatabase, type TestDatabase } from '#test/support/database.ts'

describe('reads that share connections', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await freshDatabase()
  })
  afterAll(() => test.close())

  const open = (connections: number) => {
    const database = openDatabase(test.url, { connections })
    onTestFinished(() => database.close())
    return database.db
  }
  const readOf = (db: ReturnType<typeof open>) => (number: number) =>
    db.execute<{ number: number }>(sql`select ${number}::int as number`)

  it('are each answered with their own rows', async () => {
    const read = readOf(open(2))
    const numbers = Array.from({ length: 200 }, (_, place) => place)
    const answers = await Promise.all(numbers.map(read))
    expect(answers.map(([row]) => row?.number)).toEqual(numbers)
  })

  it('do not line up behind a slow one', async () => {
    const db = open(2)
    const read = readOf(db)
    await Promise.all([read(1), read(2)])
    let isSlowOver = false
    const slow = db.execute(sql`select pg_sleep(1.5)`).then(() => {
      isSlowOver = true
    })
    await sleep(50)
    for (let round = 0; round < 5; round += 1) await Promise.all([1, 2, 3, 4].map(read))
    expect(isSlowOver).toBe(false)
    await slow
  })

  it('let a write through that waits for a connection of its own', async () => {
    const db = open(1)
    let isOver = false
    // One behind the other, so that there is never a moment without a read under way.
    const keepReading = async (_: unknown, place: number) => {
      await sleep(place)
      while (!isOver) await db.execute(sql`select pg_sleep(0.004)`)
    }
    const readers = Array.from({ length: 8 }, keepReading)
    await sleep(20)
    await db.transaction((tx) => tx.execute(sql`create table written (id int)`))
    isOver = true
    await Promise.all(readers)
  })

  it('go on elsewhere when their connection is lost', async () => {
    const db = open(2)
    const read = readOf(db)
    const [row] = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    const reading = Promise.allSettled(Array.from({ length: 50 }, (_, place) => read(place)))
    await test.sql`select pg_terminate_backend(${Number(row?.pid)}, 1000)`
    await reading
    expect((await read(7)).map(({ number }) => number)).toEqual([7])
  })
})
