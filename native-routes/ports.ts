import type { Feature } from '#contracts/route-table.ts'
import type { Queryable, Reader } from '#db/connection.ts'

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
 * The only way to the database. Reads go through `read`; every write goes through `tx`, so that the gateway
 * knows at each moment whether an effect may have escaped.
 */
export interface DatabasePort {
  readonly read: Reader
  /** Runs `work` in one transaction: all of it is committed or, when it throws, none. */
  tx<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
}

export interface EntitlementPort {
  find(accountId: string, feature: Feature): Promise<Entitlement>
}

/** Calls that leave something behind outside the database run in here, for the same reason as `DatabasePort.tx`. */
export interface EffectPort {
  external<T>(call: () => Promise<T>): Promise<T>
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
  copy(from: string, to: string): Promise<void>
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

/** Something that somebody did with a track or a pack. */
export interface NewEngagementEvent {
  readonly ownerId: string
  readonly type: 'track.downloaded'
  readonly trackId: string
}

export interface EventPort {
  /** Kept once the answer is known to be good. Best effort: that it cannot be kept is no reason to fail. */
  record(event: NewEngagementEvent): Promise<void>
}

export interface LogPort {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** What a handler may reach of the world. */
export interface Ports {
  readonly db: DatabasePort
  readonly entitlements: EntitlementPort
  readonly effects: EffectPort
  readonly storage: StoragePort
  readonly media: MediaPolicy
  readonly events: EventPort
  readonly clock: { now(): Date }
  readonly log: LogPort
}
