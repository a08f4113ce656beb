import { detail } from '#contracts/libraries.ts'
import { create } from '#contracts/packs.ts'
import type { Label, RowOf } from '#contracts/route-table.ts'
import { insertPack, lockPackForDeletion } from '#db/queries/packs/packs.ts'
import { defineRoute, type PortsOf } from '#native-routes/define-route.ts'

// A compile-time test: `tsc` fails if a line after `@ts-expect-error` compiles, if a GET has transactions, or if a
// write has none.

export const inTransaction = defineRoute(detail, async ({ library }, { db }) => {
  // @ts-expect-error the handler of a GET has no transaction
  await db.tx(async () => undefined)
  return library
})

export const withLock = defineRoute(detail, async ({ library }, { db }) => {
  // @ts-expect-error the handler of a GET locks no row
  await lockPackForDeletion(db.read, 'a', 'b')
  // @ts-expect-error the handler of a GET locks no row with a lock timeout either
  await db.readWithLockTimeout(100, (read) => lockPackForDeletion(read, 'a', 'b'))
  return library
})

export const withLockedEntitlement = defineRoute(detail, async ({ library, actor }, { db, entitlements }) => {
  // @ts-expect-error the handler of a GET does not lock an entitlement
  await entitlements.findLocked(db.read, actor.accountId, 'tracks.share')
  return library
})

export const withEffects = defineRoute(detail, async ({ library, actor }, { storage, billing, links }) => {
  // @ts-expect-error the handler of a GET removes no object
  await storage.remove('a')
  // @ts-expect-error it calls no billing provider
  billing.connect()
  // @ts-expect-error it creates no short link
  await links.tracking?.create({ ref: 'track_link:a', ownerId: actor.accountId, path: '/' })
  return library
})

export const withWrite = defineRoute(create, ({ actor, body }, { db }) =>
  db.tx((tx) => insertPack(tx, { ownerId: actor.accountId, ...body })),
)

type LabelWith<Method> = {
  [L in Label]: RowOf<L>[2] extends 'signature' ? never : RowOf<L>[0] extends Method ? L : never
}[Label]

/** For each label, whether its handler has transactions. */
type HasTransactions<Labels extends Label> = {
  readonly [L in Labels]: 'tx' extends keyof PortsOf<L>['db'] ? true : false
}
type Every<Labels extends Label, Expected> = HasTransactions<Labels>[Labels] extends Expected ? true : never

export const noGetHasTransactions: Every<LabelWith<'GET'>, false> = true
export const allOthersHaveTransactions: Every<LabelWith<'POST' | 'PUT' | 'PATCH' | 'DELETE'>, true> = true
/** Any label may be a GET, so its handler has no transactions. */
export const unknownRowHasNoTransactions: 'tx' extends keyof PortsOf<Label>['db'] ? true : false = false
