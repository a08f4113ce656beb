import { eq } from 'drizzle-orm'
import type { Database, Queryable, Reader } from '#db/client/connection.ts'
import { preparedRead, preparedWrite } from '#db/client/drizzle.ts'
import { packs } from '#db/schema/packs.ts'

// A compile-time test: `tsc` fails when one of these is no longer a type error.

declare const reader: Reader
declare const tx: Queryable
declare const database: Database

const pack = { id: 'a', ownerId: 'b', name: 'c', description: null }

const findPack = preparedRead((db) => db.select().from(packs).where(eq(packs.id, 'a')).prepare('find'))
const insertPack = preparedWrite((db) => db.insert(packs).values(pack).prepare('insert'))

// @ts-expect-error a reader does not insert
export const preparedByReader = preparedRead((db) => db.insert(packs).values(pack).prepare('insert'))

// @ts-expect-error a prepared write runs only in a transaction
export const writtenByReader = () => insertPack(reader)

// @ts-expect-error handlers get a reader from createPorts
export const writtenByPort = () => insertPack(database.reader)

// @ts-expect-error a reader is not a transaction
export const readerAsTransaction: Queryable = reader

// @ts-expect-error drizzle's WITH can insert, update and delete
export const withClause = () => reader.with()

export const readByBoth = () => [findPack(reader), findPack(tx), insertPack(tx)]
export const transactionAsReader: Reader = tx
