import type { Feature } from '#contracts/route-table.ts'
import type { Queryable, Reader } from '#db/client/connection.ts'
import type { BillingPort } from './billing/ports.ts'
import type { DeliveryHeader, VerifyBody } from './define-webhook.ts'
import type { LinkPort } from './link-tracking.ts'

/** The account behind a verified access token. */
export interface Actor {
  readonly accountId: string
  readonly email: string | null
  readonly emailVerified: boolean
}

/** What an account's plan grants of one feature; `limit` is null where its use is not counted. */
export interface Entitlement {
  readonly feature: Feature
  readonly granted: boolean
  readonly limit: number | null
  readonly planId: string
  readonly status: string
}

/**
 * The only way to the database. Reads go through `read`, which sends nothing else; every write goes through `tx`, so that
 * the gateway knows at each moment whether an effect may have escaped.
 */
export interface DatabasePort {
  readonly read: Reader
  /**
   * Runs `work` in one transaction: all of it is committed or, when it throws, none. In a route that changes something,
   * the token, the scope and the entitlement are checked again first. That locks the scope's resource: a track or a pack
   * against being deleted, a library (`library:*`) against any other change.
   */
  tx<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
}

export interface EntitlementPort {
  find(accountId: string, feature: Feature): Promise<Entitlement>
  /** The same within a transaction, until the end of which the entitlement does not change. */
  findLocked(tx: Queryable, accountId: string, feature: Feature): Promise<Entitlement>
}

/** An address that opens one object without credentials until it expires; whoever holds it may use it. */
export interface SignedAddress {
  readonly url: string
  readonly expiresAt: string
}

/** What the store says of an object: its length, and the media type it was put with. */
interface StoredObject {
  readonly byteSize: number
  readonly contentType: string | null
}

/** The store of media bytes. Signing asks nobody; every other call throws `storage_unavailable` when it fails. */
export interface StoragePort {
  /** The store refuses a PUT that differs from this in type or length; `requiredHeaders` is all a client must set. */
  presignPut(
    key: string,
    upload: { readonly contentType: string; readonly byteSize: number; readonly expiresInS: number },
  ): Promise<SignedAddress & { readonly requiredHeaders: Readonly<Record<string, string>> }>
  /** With `downloadAs`, a browser saves the file under that name rather than showing it. */
  presignGet(
    key: string,
    view: { readonly expiresInS: number; readonly downloadAs?: string; readonly contentType?: string },
  ): Promise<SignedAddress>
  find(key: string): Promise<StoredObject | null>
  /** Copies an object with its type; the caller makes sure that nobody else writes to `to`. */
  copy(from: string, to: string, signal?: AbortSignal): Promise<void>
  /** Removing what is not there succeeds. */
  remove(key: string): Promise<void>
}

/** What this deployment allows of media, and for how long its signed addresses are good. */
export interface MediaPolicy {
  readonly maxBytes: { readonly version: number; readonly artwork: number; readonly document: number }
  readonly lifetimeS: { readonly upload: number; readonly playback: number; readonly download: number }
  /** Where clients reach this service, without a slash at the end. */
  publicBaseUrl(): string
  /** Whether there is an analysis service to hand work to. */
  readonly analysisOffered: boolean
  /** The secret that signs what the analysis service and this one tell each other; null where none is set. */
  readonly analysisSecret: string | null
}

type Engagement = 'viewed' | 'played' | 'progress' | 'completed' | 'downloaded' | 'shared'

/** Something that somebody did with a track or a pack; whoever came through a link is told apart as they wish. */
export interface NewEngagementEvent {
  /** Whose track or pack it is. */
  readonly ownerId: string
  readonly type: `${'pack' | 'track'}.${Engagement}`
  readonly packId?: string | undefined
  readonly trackId?: string | undefined
  readonly linkKind?: 'track' | 'pack' | undefined
  readonly linkId?: string | undefined
  readonly source?: string | undefined
  readonly channel?: string | undefined
  readonly positionMs?: number | undefined
  readonly durationMs?: number | undefined
  readonly visitorId?: string | undefined
  readonly sessionId?: string | undefined
}

export interface EventPort {
  /**
   * Kept once the answer is known to be good. Resolves at once, but for what an owner does: when that is kept or given
   * up. Best effort: it never fails.
   */
  record(event: NewEngagementEvent): Promise<void>
}

/** What may be done so many times in a while; how many times is a setting. */
export type LimitName =
  | 'public-reads'
  | 'share-events'
  | 'access-codes'
  | 'access-codes-of-link'
  | 'analytics'

/** Limits that all instances share. A subject may hold what must not be written down: it is kept as a keyed hash. */
export interface LimitPort {
  /** Uses one; throws `analytics_rate_limited` where none is left. */
  spend(limit: LimitName, subject: string): Promise<void>
  giveBack(limit: LimitName, subject: string): Promise<void>
}

/** What a gated link asks for; its version changes with whatever is changed of the link. */
export interface Gate {
  readonly linkId: string
  readonly version: string
  readonly hash: string
}

export interface AccessCodePort {
  /** `client` is who asks. Throws `analytics_rate_limited` where too many codes were wrong of late. */
  isRight(code: string, gate: Gate, client: string): Promise<boolean>
}

/** The provider of the e-mails that invite to packs. */
export interface EmailPort {
  /**
   * Throws the error of a delivery without the provider's signature headers, or with some that are malformed or stale;
   * returns the check of the signed bytes.
   */
  requireSignature(header: DeliveryHeader): VerifyBody
}

export interface LogPort {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** The only way from a handler to anything outside of it. `port-access.ts` declares what each method does there. */
export interface Ports {
  readonly db: DatabasePort
  readonly entitlements: EntitlementPort
  readonly storage: StoragePort
  readonly media: MediaPolicy
  readonly events: EventPort
  readonly limits: LimitPort
  readonly accessCodes: AccessCodePort
  readonly billing: BillingPort
  readonly links: LinkPort
  readonly email: EmailPort
  readonly clock: { now(): Date }
  readonly log: LogPort
}
