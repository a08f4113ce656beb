import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '#db/client/connection.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

describe('shared connections', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.close())

  const open = (connections: number) => {
    const database = openDatabase(test.url, { connections })
    onTestFinished(() => database.close())
    return database.db
  }
  const createRead = (db: ReturnType<typeof open>) => (number: number) =>
    db.execute<{ number: number }>(sql`select ${number}::int as number`)

  it("return each read's rows to its caller", async () => {
    const read = createRead(open(2))
    const numbers = Array.from({ length: 200 }, (_, place) => place)
    const results = await Promise.all(numbers.map(read))
    expect(results.map(([row]) => row?.number)).toEqual(numbers)
  })

  it('send no read behind a slow one', async () => {
    const db = open(2)
    const read = createRead(db)
    await Promise.all([read(1), read(2)])
    let hasSlowEnded = false
    const slow = db.execute(sql`select pg_sleep(1.5)`).then(() => {
      hasSlowEnded = true
    })
    await sleep(50)
    for (let round = 0; round < 5; round += 1) await Promise.all([1, 2, 3, 4].map(read))
    expect(hasSlowEnded).toBe(false)
    await slow
  })

  it('run a transaction even while reads arrive continuously', async () => {
    const db = open(1)
    let hasEnded = false
    // The reads overlap, so one is in flight at every moment.
    const keepReading = async (_: unknown, place: number) => {
      await sleep(place)
      while (!hasEnded) await db.execute(sql`select pg_sleep(0.004)`)
    }
    const readers = Array.from({ length: 8 }, keepReading)
    await sleep(20)
    await db.transaction((tx) => tx.execute(sql`create table written (id int)`))
    hasEnded = true
    await Promise.all(readers)
  })

  it('are replaced when they are lost', async () => {
    const db = open(2)
    const read = createRead(db)
    const [row] = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    const reading = Promise.allSettled(Array.from({ length: 50 }, (_, place) => read(place)))
    await test.sql`select pg_terminate_backend(${Number(row?.pid)}, 1000)`
    await reading
    expect((await read(7)).map(({ number }) => number)).toEqual([7])
  })
})
