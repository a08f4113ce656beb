import type { LinkTracking } from '#native-routes/link-tracking.ts'
import { type AccessTable, type PortAccess, portAccess } from '#native-routes/port-access.ts'
import type { Ports, StoragePort } from '#native-routes/ports.ts'

// A compile-time test: each of these must be a type error, and `tsc` fails when one of them no longer is.

const { remove, ...storageWithoutRemove } = portAccess.storage

// @ts-expect-error every method of a port is declared
export const withoutMethod: PortAccess = { ...portAccess, storage: storageWithoutRemove }

const { email, ...accessWithoutEmail } = portAccess

// @ts-expect-error every port that has methods is declared
export const withoutPort: PortAccess = accessWithoutEmail

const { cancelNow, ...providerWithoutCancelNow } = portAccess.billing.connect

export const withoutMethodOfProvider: PortAccess = {
  ...portAccess,
  // @ts-expect-error every method of a connected provider is declared
  billing: { ...portAccess.billing, connect: providerWithoutCancelNow },
}

export const withoutMethodsOfProvider: PortAccess = {
  ...portAccess,
  // @ts-expect-error a method that returns an object with methods is declared by these
  billing: { ...portAccess.billing, connect: 'read' },
}

export const withUnknownWord: PortAccess = {
  ...portAccess,
  // @ts-expect-error a method is a read, an effect or untracked
  storage: { ...portAccess.storage, find: 'lookup' },
}

export const withUnknownMethod: PortAccess = {
  ...portAccess,
  // @ts-expect-error only methods of the port are declared
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

// @ts-expect-error a method that is added to a port is declared
export const addedMethod: AccessTable<StorageWithList> = portAccess.storage

interface PortsWithCalendar extends Ports {
  readonly calendar: { invite(email: string): Promise<void> } | null
}

// @ts-expect-error a port that is added is declared, also one that may be missing
export const addedPort: AccessTable<Omit<PortsWithCalendar, 'db'>> = portAccess

interface LinksWithReports {
  readonly webhookSecret: string | null
  readonly tracking: LinkTracking | null
  reports(): { send(): Promise<void> } | null
}

// @ts-expect-error the methods of what an added method returns are declared
export const addedFactory: AccessTable<LinksWithReports> = { ...portAccess.links, reports: 'read' }

export const declaredFactory: AccessTable<LinksWithReports> = {
  ...portAccess.links,
  reports: { send: 'effect' },
}
