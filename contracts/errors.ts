import * as z from 'zod'
import type { ErrorHeaders, ErrorRow, FieldsOf, HeaderOptions } from './shared/error-row.ts'

/** `path` is dotted (`master.0.percentage`), or empty for the whole body. */
export const Issue = z.object({ path: z.string(), message: z.string() })
export type Issue = z.infer<typeof Issue>

/** A wrong total has `expected` and `actual`. */
export const StructuralIssue = Issue.extend({
  code: z.enum([
    'master_total_mismatch',
    'writers_total_mismatch',
    'publishers_total_mismatch',
    'publisher_writer_unknown',
    'publisher_writer_exceeds_share',
    'duplicate_collaborator',
    'sub_publishers_exceed_parent',
    'duplicate_collection_split',
  ]),
  expected: z.number().optional(),
  actual: z.number().optional(),
})
export type StructuralIssue = z.infer<typeof StructuralIssue>

/** What quotas limit: `libraries` and `pending_upload_bytes` per account, everything else per track. */
export const QuotaName = z.enum(['libraries', 'links', 'documents', 'versions', 'pending_upload_bytes'])
export type QuotaName = z.infer<typeof QuotaName>

const entitlementFields = {
  code: z.literal('entitlement_required'),
  feature: z.string(),
  current: z.int().nullable(),
  limit: z.int().nullable(),
  planId: z.string(),
  status: z.string(),
  upgradeRequired: z.literal(true),
}

const billingInputFields = {
  reason: z.enum(['already_subscribed', 'no_customer', 'no_subscription']).optional(),
  availablePlanIds: z.array(z.string()).optional(),
}

/** A human-readable sentence, which may change. Clients act on the code. */
export const ErrorMessage = z.string()

// Errors with this field supply their own message, which says more than the row's.
const message = ErrorMessage

// Dependencies usually recover within seconds.
const retrySoon = { 'retry-after': { default: '1' } } as const

const databaseUnavailable =
  'The database cannot be reached right now. Try again after `Retry-After` seconds.'

/**
 * Every error code: its statuses (default first), its message (what is wrong and what to do), the fields besides
 * `error` and `message`, and its headers. After a change, run `npm run errors-page`, which writes `docs/errors.md` from
 * this table.
 */
export const errorTable = {
  // The request itself
  bad_request: [[400], 'The request could not be read. Check its path, percent-encoding and headers.'],
  validation_error: [[400], 'The input is not valid. Correct the fields in `issues` and send the request again.', { issues: z.array(Issue) }],
  invalid_json: [[400], 'The body is not valid JSON. Send a JSON document in UTF-8.', { message }],
  // RFC 9110, section 11.6.1: a 401 response must contain a challenge.
  unauthorized: [[401], 'The access token is missing, invalid or expired. Sign in again and send the new token as `Authorization: Bearer`.', {}, { 'www-authenticate': { default: 'Bearer' } }],
  forbidden: [[403], 'You do not have permission to do this. Ask the owner for more access.'],
  entitlement_required: [[403], 'Your plan does not include this, or you have reached its limit. Upgrade the plan, or remove what you no longer need.', entitlementFields],
  quota_exceeded: [[409], 'You have reached a limit (see `quota`). Remove what you no longer need and try again.', { message, quota: QuotaName, limit: z.int() }],
  // The key belongs to a different request, which native has served or is still serving.
  idempotency_key_reused: [[422], 'This `Idempotency-Key` belongs to another request. Use a new key for each action, and repeat it only to retry that action.'],
  idempotency_in_progress: [[409], 'A request with this `Idempotency-Key` is still running. Try again after `Retry-After` seconds.', {}, retrySoon],
  route_not_found: [[404], 'There is nothing at this path. Check it against /openapi.json.'],
  method_not_allowed: [[405], 'This path does not accept this method. Use one of the methods in the `Allow` header.', {}, { allow: 'required' }],
  request_timeout: [[408], 'The request took too long to arrive. Send it again.'],
  body_too_large: [[413], 'The body is too large. Send less in one request.'],
  uri_too_long: [[414], 'The URL is too long. Shorten its path or query.'],
  expectation_failed: [[417], 'The `Expect` header may only be `100-continue`. Send the request without it.'],
  // For limits per account. Share links and analytics use the core's code instead, `analytics_rate_limited`.
  rate_limited: [[429], 'You have sent too many requests of this kind. Try again after `Retry-After` seconds.', {}, { 'retry-after': 'required' }],
  headers_too_large: [[431], 'The headers are too large. Send fewer or shorter ones. Cookies are often the cause.'],
  internal_error: [[500], 'Something went wrong. Try again; if it happens again, send the operator the value of `x-request-id`.'],
  method_not_implemented: [[501], 'The service does not support this method. Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.'],
  native_route_not_implemented: [[501], 'This route is not available here. Check the path, or ask the operator.', { message, path: z.string() }],
  native_runtime_required: [[503], 'This route is switched off. Ask the operator when it will be back.', { message }],
  authentication_unavailable: [[503], 'Access tokens cannot be verified right now. Try again after `Retry-After` seconds.', {}, retrySoon],
  gateway_busy: [[503], 'The gateway is at capacity. Try again after `Retry-After` seconds.', {}, retrySoon],
  version_not_supported: [[505], 'This HTTP version is not supported. Use HTTP/1.1.'],

  // Errors of the core
  core_bad_response: [[502], 'The core sent an invalid response. Check whether the change took effect before you retry.'],
  core_unavailable: [[503], 'The core cannot be reached. Check whether the change took effect before you retry.', {}, { 'retry-after': 'optional' }],
  core_timeout: [[504], 'The core did not respond in time. Check whether the change took effect before you retry.'],
  loop_detected: [[508], "The request looped back to this gateway. The gateway's operator must correct the core's address."],

  // Database unavailable, by area
  billing_database_unavailable: [[503], databaseUnavailable, {}, retrySoon],
  tracks_database_unavailable: [[503], databaseUnavailable, {}, retrySoon],
  packs_database_unavailable: [[503], databaseUnavailable, {}, retrySoon],
  pack_links_database_unavailable: [[503], databaseUnavailable, {}, retrySoon],
  public_database_unavailable: [[503], databaseUnavailable, {}, retrySoon],
  libraries_database_unavailable: [[503], databaseUnavailable, {}, retrySoon],
  analytics_database_unavailable: [[503], databaseUnavailable, {}, retrySoon],
  catalog_analysis_database_unavailable: [[503], databaseUnavailable, {}, retrySoon],
  links_database_unavailable: [[503], databaseUnavailable, {}, retrySoon],
  email_database_unavailable: [[503], databaseUnavailable, {}, retrySoon],
  media_intelligence_database_unavailable: [[503], databaseUnavailable, {}, retrySoon],
  internal_database_unavailable: [[503], databaseUnavailable, {}, retrySoon],

  // Billing
  billing_bad_input: [[400, 409], 'The subscription does not allow this. See `reason` or `availablePlanIds`, and check the subscription at /v1/billing/status.', billingInputFields],
  billing_configuration_error: [[503], 'Billing is not set up here. The operator must set its secrets, plans and prices.'],
  billing_provider_unavailable: [[503, 502], 'The billing provider cannot be reached. Try again in a moment.'],
  billing_signature_missing: [[400], 'The delivery has no signature. Send one in the header `billing-signature` or `stripe-signature`.'],
  billing_signature_invalid: [[400], "The signature does not match the body. Sign the exact bytes with this endpoint's secret."],

  // Tracks
  track_not_found: [[404], 'You have no track with this id. It may have been deleted.'],
  track_resource_not_found: [[404], 'Tracks have no resource with this name. Check the last part of the path.'],
  peaks_not_found: [[404], 'The waveform is not ready. Try again once the processing status says that the `waveform` lane is ready.'],
  playback_not_found: [[404], 'The track has no audio yet. Upload a version. If you already have, wait until it is processed.'],
  asset_not_found: [[404], 'The track has no file with this `assetId`. Use one from its versions, stems or media assets.'],
  version_not_found: [[404], 'The track has no version with this id. Use one from its list of versions.'],
  version_not_ready: [[409], "The version has not been processed yet, or the track has no audio. Wait until the version's status is `ready`, or upload a version first."],
  original_version_cannot_be_deleted: [[409], 'The original version cannot be deleted. Delete another version, or the whole track.'],
  upload_not_found: [[404], 'The track has no upload with this id. Start a new one.'],
  upload_object_missing: [[409], 'The file has not arrived yet. Send it to `signedUrl`, then finalize again.'],
  upload_size_mismatch: [[409], "The file's size does not match `byteSize`. Send the right file to `signedUrl`, then finalize again."],
  upload_content_type_mismatch: [[409], "The file's content type differs from the declared one. Upload the file again with `requiredHeaders`, then finalize."],
  upload_expired: [[409], 'The upload has expired. Start a new one.'],
  storage_unavailable: [[503], 'The object store cannot be reached. Try again after `Retry-After` seconds.', {}, retrySoon],
  split_sheet_structural_validation_failed: [[422], 'The shares of the split sheet do not balance, so nothing was stored. Correct the problems in `issues`.', { issues: z.array(StructuralIssue) }],
  media_intelligence_unavailable: [[503], 'No analysis service is set up here. The operator must set one up before media can be analysed again.'],

  // Sharing
  share_link_not_found: [[404], 'The track has no share link with this id. Use one from its list of share links.'],
  share_link_not_active: [[409], 'The share link is revoked or expired. Create a new one.'],
  split_sheet_not_found: [[404], 'The track has no split sheet yet. Save one before you create a link to it.'],
  // The core's error code. Its status is 404, unlike that of other `_unavailable` codes.
  track_link_unavailable: [[404], 'This link does not work. Ask the sender for a new one.'],
  pack_link_not_found: [[404], 'This link does not work. Ask the sender for a new one.'],
  split_sheet_link_not_found: [[404], 'This link does not work. Ask the sender for a new one.'],
  access_code_required: [[403], 'This link needs an access code. Ask the sender for it, and send it as `accessCode`.'],
  downloads_disabled: [[403], 'The owner does not allow downloads. You can still play the track.'],
  // The core's code for its rate limits, including those of share links.
  analytics_rate_limited: [[429], 'Too many requests. Wait for `Retry-After` seconds.', {}, { 'retry-after': 'required' }],

  // Libraries
  library_not_found: [[404], 'You cannot access a library with this id. Check the id, or ask the owner to share the library.'],
  library_name_conflict: [[409], 'You already have a library with this name. Choose a different one.'],
  library_share_not_found: [[404], 'The library has no share with this id. Use one from its list of shares.'],
  library_share_conflict: [[409], 'This person is already invited. Change the existing share instead.'],
  library_share_not_active: [[409], 'The share was revoked or declined. Create a new one.'],

  // Packs
  pack_not_found: [[404], 'You have no pack with this id. It may have been deleted.'],
  track_set_mismatch: [[409], "The order must name each of the pack's tracks exactly once. Read the pack again and send all its tracks."],
  slug_conflict: [[409], 'This slug is taken. Choose a different one, or leave it out.'],

  // Catalogue analysis
  analysis_thread_not_found: [[404], 'You have no thread with this id. Leave the id out to start a new one.'],
  analysis_rate_limited: [[429], "You have used up today's questions. Wait for `Retry-After` seconds.", {}, { 'retry-after': 'required' }],

  // Webhooks and callbacks
  link_signature_invalid: [[401], "The signature is missing or does not match the body. Sign the exact bytes with this endpoint's secret."],
  email_webhook_not_configured: [[503], 'This endpoint has no secret. The operator must set EMAIL_WEBHOOK_SECRET.'],
  email_signature_invalid: [[401], "The signature is missing, is too old, or does not match the body. Sign the exact bytes with this endpoint's secret."],
  media_intelligence_not_configured: [[503], 'This endpoint has no secret. The operator must set MEDIA_INTELLIGENCE_SECRET.'],
  media_intelligence_signature_invalid: [[401], "The signature is missing, is too old, or does not match the body. Sign the exact bytes with this endpoint's secret."],
  media_dispatch_not_found: [[404], 'No dispatch has this id. Send the `dispatchId` from the analysis request.'],

  // Operators
  operator_token_required: [[401], 'The operator token is missing or wrong. Send it as `Authorization: Bearer`.', { message }, { 'www-authenticate': { default: 'Bearer' } }],
  operator_attempts_exceeded: [[429], 'Too many wrong operator tokens came from this address. Wait for `Retry-After` seconds.', { message }, { 'retry-after': 'required' }],
  operator_role_insufficient: [[403], 'Your role does not allow this. Ask an operator with a higher role.', { message }],
  route_scope_unknown: [[404], 'No route or area has this name. `nearest` lists similar ones.', { message, nearest: z.array(z.string()) }],
  route_change_illegal: [[409], "The route's state does not allow this change. Read the state to see which changes it allows.", { message }],
  /** `version` is the route's current version, which a change must name. */
  route_version_stale: [[409], 'Someone else changed the route first. Read its state again before you retry.', { message, version: z.int() }],
  account_override_not_found: [[404], 'The account has no override on this scope. List all overrides to see which ones exist.', { message }],
  account_override_limit_reached: [[409], 'You have reached the limit on overrides. Remove some that you no longer need.', { message, limit: z.int() }],
  gateway_instance_not_found: [[404], 'No instance has this id. List all instances to find the right one.', { message }],
  gateway_instance_live: [[409], 'The instance is still running. Stop it, and it will remove itself.', { message }],
  routing_database_unavailable: [[503], 'The routing state cannot be read or stored right now. Try again after `Retry-After` seconds.', { message }, retrySoon],
} as const satisfies Record<string, ErrorRow>

/**
 * Messages for requests that only read. Unlike the table's messages, they do not warn that a write may have taken
 * effect.
 */
export const messagesOfReads: Readonly<Record<string, string>> = {
  core_unavailable: 'The core cannot be reached. Try again.',
  core_timeout: 'The core did not respond in time. Try again.',
  core_bad_response: 'The core sent an invalid response. Try again; if it happens again, tell the operator.',
}

export type ErrorCode = keyof typeof errorTable

export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorTable, code)

export const errorRowOf = (code: ErrorCode) => {
  const [statuses, message, fields = {}, headers = {}]: ErrorRow = errorTable[code]
  return { statuses, message, fields, headers }
}

type RowOf<C extends ErrorCode> = (typeof errorTable)[C]

type ErrorOptions<C extends ErrorCode> = HeaderOptions<RowOf<C>> & {
  readonly status?: RowOf<C>[0][number]
  readonly cause?: unknown
  readonly message?: string
}

type ErrorArguments<C extends ErrorCode> =
  Record<never, never> extends ErrorOptions<C>
    ? Record<never, never> extends FieldsOf<RowOf<C>>
      ? [fields?: FieldsOf<RowOf<C>>, options?: ErrorOptions<C>]
      : [fields: FieldsOf<RowOf<C>>, options?: ErrorOptions<C>]
    : [fields: FieldsOf<RowOf<C>>, options: ErrorOptions<C>]

/** Codes that can be thrown without fields or headers. */
export type BareErrorCode = { [C in ErrorCode]: [] extends ErrorArguments<C> ? C : never }[ErrorCode]

type HeaderFields = Readonly<Record<string, string>>

const selectDefaults = (headers: ErrorHeaders): HeaderFields =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, header]) =>
      typeof header === 'object' ? [[name, header.default]] : [],
    ),
  )

export class ApiError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C
  readonly status: number
  readonly body: { readonly error: C } & Readonly<Record<string, unknown>>
  readonly headers: HeaderFields

  constructor(code: C, ...[fields, options]: ErrorArguments<C>) {
    super(code, options?.cause === undefined ? undefined : { cause: options.cause })
    const row = errorRowOf(code)
    this.name = 'ApiError'
    this.code = code
    this.status = options?.status ?? row.statuses[0]
    this.body = { error: code, message: options?.message ?? row.message, ...fields }
    this.headers = { ...selectDefaults(row.headers), ...options?.headers }
  }
}

/**
 * Codes that the core returns in place of ours, with the same status and fields. Forwarded responses are not changed.
 */
export const codesOfCore = { validation_error: 'validation_failed' } as const satisfies {
  readonly [C in ErrorCode]?: string
}

export const describeField = (path: string, predicate: string): Issue => ({
  path,
  message: `${path === '' ? 'The request' : path} ${predicate}.`,
})

export const invalid = (path: string, predicate: string) =>
  new ApiError('validation_error', { issues: [describeField(path, predicate)] })
