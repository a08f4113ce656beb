import type { LinkTracking } from '#native-routes/link-tracking.ts'
import { type AccessTable, type PortAccess, portAccess } from '#native-routes/port-access.ts'
import type { Ports, StoragePort } from '#native-routes/ports.ts'

// A compile-time test, run by `npm run check`: each `@ts-expect-error` must be a type error, and all other code must
// compile.

const { remove, ...storageWithoutRemove } = portAccess.storage

// @ts-expect-error every method of a port must be declared
export const withoutMethod: PortAccess = { ...portAccess, storage: storageWithoutRemove }

const { deliveries, ...accessWithoutDeliveries } = portAccess

// @ts-expect-error every port that has methods must be declared
export const withoutPort: PortAccess = accessWithoutDeliveries

const { cancelNow, ...providerWithoutCancelNow } = portAccess.billing.connect

export const withoutMethodOfProvider: PortAccess = {
  ...portAccess,
  // @ts-expect-error every method of a connected provider must be declared
  billing: { ...portAccess.billing, connect: providerWithoutCancelNow },
}

export const withoutMethodsOfProvider: PortAccess = {
  ...portAccess,
  // @ts-expect-error a method that returns an object must declare the methods of that object
  billing: { ...portAccess.billing, connect: 'read' },
}

export const withUnknownAccess: PortAccess = {
  ...portAccess,
  // @ts-expect-error the access must be a read, an effect or untracked
  storage: { ...portAccess.storage, find: 'lookup' },
}

export const withUnknownMethod: PortAccess = {
  ...portAccess,
  // @ts-expect-error only methods of the port may be declared
  storage: { ...portAccess.storage, rename: 'effect' },
}

export const withSynchronousEffect: PortAccess = {
  ...portAccess,
  // @ts-expect-error only an asynchronous method can be an effect
  clock: { now: 'effect' },
}

interface StorageWithList extends StoragePort {
  list(prefix: string): Promise<readonly string[]>
}

// @ts-expect-error a new method of a port must be declared
export const addedMethod: AccessTable<StorageWithList> = portAccess.storage

interface PortsWithCalendar extends Ports {
  readonly calendar: { invite(email: string): Promise<void> } | null
}

// @ts-expect-error a new port must be declared, even if it is nullable
export const addedPort: AccessTable<Omit<PortsWithCalendar, 'db'>> = portAccess

interface LinksWithReports {
  readonly tracking: LinkTracking | null
  reports(): { send(): Promise<void> } | null
}

// @ts-expect-error the methods of an object that a new method returns must be declared
export const addedFactory: AccessTable<LinksWithReports> = { ...portAccess.links, reports: 'read' }

export const declaredFactory: AccessTable<LinksWithReports> = {
  ...portAccess.links,
  reports: { send: 'effect' },
}
