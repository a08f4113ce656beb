import type { DeliveryLabel } from '#contracts/deliveries.ts'
import type { Feature } from '#contracts/route-table.ts'
import type { LimitName } from '#contracts/shared/rate-limits.ts'
import type { Queryable, Reader } from '#db/client/connection.ts'
import type { BillingPort } from './billing/ports.ts'
import type { AnalysisLimits, AnalysisSlotPort, ModelPort } from './catalog-analysis/ports.ts'
import type { DeliveryHeader, VerifyBody } from './define-webhook.ts'
import type { LinkPort, LinkTracking } from './link-tracking.ts'

export interface Actor {
  readonly accountId: string
  readonly email: string | null
  readonly emailVerified: boolean
}

/** Returns an actor's email address; null unless verified, because it may belong to someone else. */
export const verifiedEmailOf = ({ email, emailVerified }: Actor) => (emailVerified ? email : null)

/** `limit` is null if there is no quota. */
export interface Entitlement {
  readonly feature: Feature
  readonly granted: boolean
  readonly limit: number | null
  readonly planId: string
  readonly status: string
}

interface ReadDatabasePort {
  readonly read: Reader
  /**
   * Runs reads in a read-only transaction. Fails as if the database were unavailable if a table stays locked beyond the
   * timeout.
   */
  readWithLockTimeout<T>(timeoutMs: number, work: (read: Reader) => Promise<T>): Promise<T>
}

/** The only access to the database. Every write uses `tx`, so the request's ports know of it. */
export interface DatabasePort extends ReadDatabasePort {
  /**
   * Runs `work` in one transaction. In a route with effects, first checks token, scope and entitlement again, and locks
   * the scope's resource: libraries (`library:*`) and tracks against any change; packs, and tracks in the routes of one
   * share link, against deletion.
   */
  tx<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
}

export interface RetryPort {
  /**
   * Returns what `compute` returned when the request was first sent; retries with the same idempotency key get that
   * result. The result is stored with the transaction, so it must be JSON. Call it once per request.
   */
  once<T>(tx: Queryable, compute: () => Promise<T>): Promise<T>
}

export interface EntitlementPort {
  find(accountId: string, feature: Feature): Promise<Entitlement>
  findLocked(tx: Queryable, accountId: string, feature: Feature): Promise<Entitlement>
}

export interface PresignedUrl {
  readonly url: string
  readonly expiresAt: string
}

interface StoredObject {
  readonly byteSize: number
  readonly contentType: string | null
}

/**
 * The object store for media files. Presigning sends no request; every other call throws `storage_unavailable` on
 * failure.
 */
export interface StoragePort {
  /** The store rejects a PUT with a different type or length. Clients must set exactly `requiredHeaders`. */
  presignPut(
    key: string,
    upload: { readonly contentType: string; readonly byteSize: number; readonly expiresInS: number },
  ): Promise<PresignedUrl & { readonly requiredHeaders: Readonly<Record<string, string>> }>
  /** With `downloadAs`, a browser saves the file under that name instead of displaying it. */
  presignGet(
    key: string,
    view: { readonly expiresInS: number; readonly downloadAs?: string; readonly contentType?: string },
  ): Promise<PresignedUrl>
  find(key: string): Promise<StoredObject | null>
  /**
   * Copies the bytes. Of what the uploader stated about them, only `contentType` is kept, and no content encoding. Make
   * sure nothing else writes to `to`.
   */
  copy(from: string, to: string, contentType: string, signal?: AbortSignal): Promise<void>
  /** Succeeds even if there is no object. */
  remove(key: string): Promise<void>
}

export interface MediaPolicy {
  readonly maxBytes: { readonly version: number; readonly artwork: number; readonly document: number }
  readonly ttlS: { readonly upload: number; readonly playback: number; readonly download: number }
  publicBaseUrl(): string
  readonly isAnalysisConfigured: boolean
}

interface EmailPolicy {
  readonly isConfigured: boolean
}

/** Limits for what grows: libraries and pending bytes per account, everything else per track. */
export interface Quotas {
  readonly libraries: number
  readonly links: number
  /** How many revoked share links are kept, and also how many expired ones. Beyond that, the oldest are deleted. */
  readonly revokedLinks: number
  readonly documents: number
  readonly versions: number
  readonly pendingUploadBytes: number
}

type Engagement = 'viewed' | 'played' | 'progress' | 'completed' | 'downloaded' | 'shared'

/** The client chooses `visitorId` and `sessionId`. */
export interface NewEngagementEvent {
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

/** Whether the owner's next request must see the event. Visitors' events may arrive late. */
export const isOwnerVisit = ({ linkId }: NewEngagementEvent) => linkId === undefined

export interface EventPort {
  /**
   * Stores the event once the response is known to be a success. Best effort: never throws. For a visitor's event,
   * resolves immediately. For an owner's, resolves once it has been stored.
   */
  record(event: NewEngagementEvent): Promise<void>
}

/** What is left of a rate limit, as far as this instance knows. */
export interface LimitStatus {
  readonly limit: LimitName
  readonly count: number
  readonly windowS: number
  readonly remaining: number
  readonly resetsInS: number
}

/** Gives a reserved use back, unless its window has ended. Call it only once. */
type TakeBack = () => Promise<void>

/** Rate limits shared by all instances. Subjects may contain secrets, so only keyed hashes are stored. */
export interface LimitPort {
  /** Throws `RateLimitExceeded` if none is left. Reports nothing if the limit is off. */
  reserve(limit: LimitName, subject: string, report?: (status: LimitStatus) => void): Promise<TakeBack>
}

/** `version` changes with every change to the link. */
export interface LinkAccessCode {
  readonly linkId: string
  readonly version: string
  readonly hash: string
}

export interface AccessCodePort {
  /** `client` identifies the caller. Throws `analytics_rate_limited` after too many wrong codes. */
  isCorrect(code: string, gate: LinkAccessCode, client: string): Promise<boolean>
  /** In the format that the core also uses. Slow and salted. */
  hash(code: string): Promise<string>
}

export interface DeliveryPort {
  /**
   * Throws the route's error if no secret is set, or if the signature headers are missing, malformed or stale. Returns
   * the function that verifies the body.
   */
  requireSignature(label: DeliveryLabel, header: DeliveryHeader): VerifyBody
}

/** Fields of a log line besides its message. The log adds `instance` and `version`. */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly instance?: never
  readonly version?: never
}

export interface LogPort {
  warn(fields: LogFields, message: string): void
}

export interface Ports {
  readonly db: DatabasePort
  readonly retries: RetryPort
  readonly entitlements: EntitlementPort
  readonly storage: StoragePort
  readonly media: MediaPolicy
  readonly quotas: Quotas
  readonly email: EmailPolicy
  readonly events: EventPort
  readonly limits: LimitPort
  readonly accessCodes: AccessCodePort
  readonly billing: BillingPort
  readonly links: LinkPort
  readonly deliveries: DeliveryPort
  readonly analysisLimits: AnalysisLimits
  readonly analysisSlots: AnalysisSlotPort
  readonly model: ModelPort | null
  readonly clock: { now(): Date }
  readonly log: LogPort
}

/**
 * Everything a GET handler can reach. Clients, caches and comparisons may repeat a GET at any time, so it changes
 * nothing and locks no row. Its engagement events may be dropped.
 */
export interface ReadPorts
  extends Pick<Ports, 'media' | 'quotas' | 'email' | 'events' | 'analysisLimits' | 'clock' | 'log'> {
  readonly db: ReadDatabasePort
  readonly entitlements: Pick<EntitlementPort, 'find'>
  readonly storage: Pick<StoragePort, 'presignGet' | 'find'>
  readonly billing: Pick<BillingPort, 'availablePlanIds'>
  readonly links: { readonly tracking: Pick<LinkTracking, 'countClicks'> | null }
}

export interface ScopePorts {
  readonly db: ReadDatabasePort
  readonly accessCodes: Pick<AccessCodePort, 'isCorrect'>
}
