import type { DeliveryLabel } from '#contracts/deliveries.ts'
import type { Feature } from '#contracts/route-table.ts'
import type { Queryable, Reader } from '#db/client/connection.ts'
import type { BillingPort } from './billing/ports.ts'
import type { AnalysisLimits, AnalysisSlotPort, ModelPort } from './catalog-analysis/ports.ts'
import type { DeliveryHeader, VerifyBody } from './define-webhook.ts'
import type { LinkPort, LinkTracking } from './link-tracking.ts'

/** The account behind a verified access token. */
export interface Actor {
  readonly accountId: string
  readonly email: string | null
  readonly emailVerified: boolean
}

/** The e-mail address of an actor; null if it is not verified, because it may then belong to another person. */
export const verifiedEmailOf = ({ email, emailVerified }: Actor) => (emailVerified ? email : null)

/** What an account's plan grants of one feature; `limit` is null if the feature has no quota. */
export interface Entitlement {
  readonly feature: Feature
  readonly granted: boolean
  readonly limit: number | null
  readonly planId: string
  readonly status: string
}

interface ReadDatabasePort {
  /** Sends only SELECT statements. */
  readonly read: Reader
  /**
   * Runs reads in a read-only transaction. It fails as an unavailable database once a table has been locked for longer
   * than the timeout.
   */
  readWithLockTimeout<T>(timeoutMs: number, work: (read: Reader) => Promise<T>): Promise<T>
}

/** The only way to the database. Every write uses `tx`, so the ports of the request know of it. */
export interface DatabasePort extends ReadDatabasePort {
  /**
   * Runs `work` in one transaction, which is rolled back if `work` throws. In a route with effects, the token, the
   * scope and the entitlement are checked again first. That check locks the resource of the scope: a track or a pack
   * against deletion, a library (`library:*`) against any other change.
   */
  tx<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
}

export interface RetryPort {
  /**
   * The result of `compute` when the request was first sent: its retries with the same idempotency key get that instead of
   * computing another one. It is stored with the transaction, and must be JSON. Call it once in a request.
   */
  once<T>(tx: Queryable, compute: () => Promise<T>): Promise<T>
}

export interface EntitlementPort {
  find(accountId: string, feature: Feature): Promise<Entitlement>
  /** Finds it in a transaction and locks it until the transaction ends. */
  findLocked(tx: Queryable, accountId: string, feature: Feature): Promise<Entitlement>
}

/** A presigned URL for one object. Anyone who has it can use it without credentials until it expires. */
export interface PresignedUrl {
  readonly url: string
  readonly expiresAt: string
}

/** The length of an object, and the media type that it was uploaded with. */
interface StoredObject {
  readonly byteSize: number
  readonly contentType: string | null
}

/**
 * The object store of media files. Presigning sends no request; every other call throws `storage_unavailable` on
 * failure.
 */
export interface StoragePort {
  /** The store rejects a PUT with another type or length; a client must set exactly `requiredHeaders`. */
  presignPut(
    key: string,
    upload: { readonly contentType: string; readonly byteSize: number; readonly expiresInS: number },
  ): Promise<PresignedUrl & { readonly requiredHeaders: Readonly<Record<string, string>> }>
  /** With `downloadAs`, a browser saves the file under this name instead of displaying it. */
  presignGet(
    key: string,
    view: { readonly expiresInS: number; readonly downloadAs?: string; readonly contentType?: string },
  ): Promise<PresignedUrl>
  find(key: string): Promise<StoredObject | null>
  /** Copies an object with its type; the caller ensures that nothing else writes to `to`. */
  copy(from: string, to: string, signal?: AbortSignal): Promise<void>
  /** Succeeds if there is no object. */
  remove(key: string): Promise<void>
}

/** The upload limits of this deployment, and the lifetimes of its presigned URLs. */
export interface MediaPolicy {
  readonly maxBytes: { readonly version: number; readonly artwork: number; readonly document: number }
  readonly ttlS: { readonly upload: number; readonly playback: number; readonly download: number }
  /** The base URL of this service, without a trailing slash. */
  publicBaseUrl(): string
  /** Whether an analysis service is configured. */
  readonly isAnalysisConfigured: boolean
}

/** Whether the job worker can send e-mails. */
interface EmailPolicy {
  readonly isConfigured: boolean
}

/** How many items there may be of what grows. For each account: libraries and pending bytes; for each track: the others. */
export interface Quotas {
  readonly libraries: number
  /** Active share links. */
  readonly links: number
  /** Revoked share links, and again as many expired ones. The oldest of more are deleted. */
  readonly revokedLinks: number
  readonly documents: number
  readonly versions: number
  readonly pendingUploadBytes: number
}

type Engagement = 'viewed' | 'played' | 'progress' | 'completed' | 'downloaded' | 'shared'

/** An action on a track or a pack. `visitorId` and `sessionId` are chosen by the client. */
export interface NewEngagementEvent {
  /** The owner of the track or the pack. */
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
   * Stores the event after the response is known to be a success. Resolves immediately, except for an event of an
   * owner: then it resolves when the event is stored or dropped. Best effort: never throws.
   */
  record(event: NewEngagementEvent): Promise<void>
}

/** The rate limits; their rates are settings. */
export type LimitName =
  | 'public-reads'
  | 'share-events'
  | 'access-codes'
  | 'access-codes-of-link'
  | 'analytics'
  | 'reanalyses'
  | 'uploads'
  | 'billing'
  | 'invitations'
  | 'idempotency-keys'

/** What is left of a rate limit, as far as this instance knows. */
export interface LimitStatus {
  readonly limit: LimitName
  readonly count: number
  readonly windowS: number
  readonly remaining: number
  readonly resetsInS: number
}

/** Refunds a token, unless the window that it was reserved in has ended. Call it once. */
type TokenRefund = () => Promise<void>

/** Rate limits that all instances share. A subject may contain a secret, so only its keyed hash is stored. */
export interface LimitPort {
  /**
   * Reserves one token and reports what is left; throws `RateLimitExceeded` if none was left. Reports nothing if the limit
   * is switched off.
   */
  reserve(limit: LimitName, subject: string, report?: (status: LimitStatus) => void): Promise<TokenRefund>
}

/** The access code of a link; `version` changes with every change of the link. */
export interface LinkAccessCode {
  readonly linkId: string
  readonly version: string
  readonly hash: string
}

export interface AccessCodePort {
  /** `client` identifies the caller. Throws `analytics_rate_limited` after too many wrong codes. */
  isCorrect(code: string, gate: LinkAccessCode, client: string): Promise<boolean>
  /** The slow, salted hash of a new code, in the format that the core stores too. */
  hash(code: string): Promise<string>
}

/** Verifies deliveries as their declaration says. */
export interface DeliveryPort {
  /**
   * Throws the error of the route if no secret is set, or if the signature headers are missing, malformed or stale.
   * Returns the function that verifies the body.
   */
  requireSignature(label: DeliveryLabel, header: DeliveryHeader): VerifyBody
}

/** What a log line contains beside its message. The log itself writes `instance` and `version`. */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly instance?: never
  readonly version?: never
}

export interface LogPort {
  warn(fields: LogFields, message: string): void
}

/** Everything that a handler can reach. `port-access.ts` declares which methods are effects. */
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
  /** Null if none is configured. */
  readonly model: ModelPort | null
  readonly clock: { now(): Date }
  readonly log: LogPort
}

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
