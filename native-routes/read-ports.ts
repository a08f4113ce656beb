import type { BillingPort } from './billing/ports.ts'
import type { LinkTracking } from './link-tracking.ts'
import type { AccessCodePort, EntitlementPort, Ports, ReadDatabasePort, StoragePort } from './ports.ts'

/**
 * Everything that the handler of a GET can reach. A client, a cache or a comparison with the core may repeat its request
 * at any time: it changes nothing and locks no row. Its engagement events may be dropped.
 */
export interface ReadPorts
  extends Pick<Ports, 'media' | 'quotas' | 'email' | 'events' | 'analysisLimits' | 'clock' | 'log'> {
  readonly db: ReadDatabasePort
  readonly entitlements: Pick<EntitlementPort, 'find'>
  readonly storage: Pick<StoragePort, 'presignGet' | 'find'>
  readonly billing: Pick<BillingPort, 'availablePlanIds'>
  readonly links: { readonly tracking: Pick<LinkTracking, 'countClicks'> | null }
}

/** What the scope of a request is resolved with, whatever its method is. */
export interface ScopePorts {
  readonly db: ReadDatabasePort
  readonly accessCodes: Pick<AccessCodePort, 'isCorrect'>
}
