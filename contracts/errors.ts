import * as z from 'zod'
import type { ErrorHeaders, ErrorRow, FieldsOf, HeaderOptions } from './shared/error-row.ts'

/** One problem of a request: `path` is dotted (`master.0.percentage`) and empty for the body as a whole. */
export const Issue = z.object({ path: z.string(), message: z.string() })
export type Issue = z.infer<typeof Issue>

/** One structural problem of a split sheet; a total that does not match has its `expected` and `actual` values. */
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

/** What a quota bounds: for each account `libraries` and `pending_upload_bytes`, for each track the others. */
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
  /** The plans that exist, for a plan that does not. */
  availablePlanIds: z.array(z.string()).optional(),
}

/** A sentence for a person, which may change. Clients act on the code. */
export const ErrorMessage = z.string()

// The message of each error with this field says more than that of its row.
const message = ErrorMessage

// Dependencies usually recover within seconds.
const retrySoon = { 'retry-after': { default: '1' } } as const

const databaseUnavailable =
  'The data of this area cannot be reached at the moment: send the same request again after `Retry-After`.'

/**
 * Every error code with its statuses, the default first, its message (what is wrong, and what to do), the fields of its
 * body in addition to `error` and `message`, and the headers of its response. After a change, run `npm run errors-page`: it
 * writes `docs/errors.md` from this table.
 */
export const errorTable = {
  // The request itself
  bad_request: [[400], 'The request could not be read: check its path, its escapes and its headers.'],
  validation_error: [[400], 'The input is not valid: correct what `issues` names and send the request again.', { issues: z.array(Issue) }],
  invalid_json: [[400], 'The body is not valid JSON: send a JSON document in UTF-8.', { message }],
  // RFC 9110, section 11.6.1: a 401 response must contain a challenge.
  unauthorized: [[401], 'The access token is missing, invalid or expired: sign in again and send it as `Authorization: Bearer`.', {}, { 'www-authenticate': { default: 'Bearer' } }],
  forbidden: [[403], 'Your access to this resource does not allow this: ask its owner for a higher access grade.'],
  entitlement_required: [[403], 'The plan of this account does not include this, or its limit is reached: upgrade the plan, or remove what is not needed.', entitlementFields],
  quota_exceeded: [[409], 'The quota named in `quota` is reached: remove what is no longer needed, then try again.', { message, quota: QuotaName, limit: z.int() }],
  // The key of a request that native has served or still serves.
  idempotency_key_reused: [[422], 'This `Idempotency-Key` was sent with another request: use a new key for each action, and the same one for its retries only.'],
  idempotency_in_progress: [[409], 'A request with this `Idempotency-Key` is still being served: send the same request again after `Retry-After`.', {}, retrySoon],
  route_not_found: [[404], 'Nothing is served at this path: check it against /openapi.json.'],
  method_not_allowed: [[405], 'This path does not accept this method: use one that the header `Allow` lists.', {}, { allow: 'required' }],
  request_timeout: [[408], 'The request did not arrive in time: send it again over a faster connection.'],
  body_too_large: [[413], 'The body is larger than this gateway accepts: send less in one request.'],
  uri_too_long: [[414], 'The address is longer than this gateway accepts: shorten its path or its query.'],
  expectation_failed: [[417], 'The header `Expect` asks for something other than `100-continue`: send the request without it.'],
  // A limit of an account. The limits of share links and analytics have the core's code, `analytics_rate_limited`.
  rate_limited: [[429], 'This account sent too many such requests: wait for as many seconds as `Retry-After` says.', {}, { 'retry-after': 'required' }],
  headers_too_large: [[431], 'The headers are larger than this gateway accepts: send fewer or shorter ones, for example fewer cookies.'],
  internal_error: [[500], 'The service failed unexpectedly: try again, and give the value of `x-request-id` to its operator if it fails again.'],
  method_not_implemented: [[501], 'This method is not known to the service: use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.'],
  native_route_not_implemented: [[501], 'The service does not offer this route here: check the path, or ask the operator whether it is configured.', { message, path: z.string() }],
  native_runtime_required: [[503], 'This route is switched off: ask the operator when it is available again.', { message }],
  authentication_unavailable: [[503], 'Access tokens cannot be verified at the moment: send the same request again after `Retry-After`.', {}, retrySoon],
  gateway_busy: [[503], 'The gateway has no capacity for this request at the moment: send it again after `Retry-After`.', {}, retrySoon],
  version_not_supported: [[505], 'This version of HTTP is not supported: use HTTP/1.1.'],

  // Errors of the core
  core_bad_response: [[502], 'The core sent a response that is not valid HTTP: try again, and tell the operator if it fails again.'],
  core_unavailable: [[503], 'The core cannot be reached: read first whether a change took effect, then try again.', {}, { 'retry-after': 'optional' }],
  core_timeout: [[504], 'The core did not respond in time: read first whether a change took effect, then try again.'],
  loop_detected: [[508], 'The request came back to this gateway: its operator must correct the address of the core.'],

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
  billing_bad_input: [[400, 409], 'The subscription does not allow this: read its state from /v1/billing/status, and see `reason` or `availablePlanIds`.', billingInputFields],
  billing_configuration_error: [[503], 'Billing is not configured here: ask the operator to set its secrets, plans and prices.'],
  billing_provider_unavailable: [[503, 502], 'The billing provider cannot be reached: try again in a moment.'],
  billing_signature_missing: [[400], 'The delivery has no signature: send it in the header `billing-signature` or `stripe-signature`.'],
  billing_signature_invalid: [[400], 'The signature does not match the body: sign the exact bytes with the secret of this endpoint.'],

  // Tracks
  track_not_found: [[404], 'This account has no such track: check its id, or whether it was deleted.'],
  track_resource_not_found: [[404], 'A track has no such resource: check the last part of the path.'],
  peaks_not_found: [[404], 'The waveform is not computed yet: read the lane `waveform` of the processing status, and try again when it is ready.'],
  playback_not_found: [[404], 'The track has no audio that is ready: upload a version, or wait until it is processed.'],
  asset_not_found: [[404], 'The track has no such file: take `assetId` from its versions, stems or media assets.'],
  version_not_found: [[404], 'The track has no such version: take its id from the list of versions.'],
  version_not_ready: [[409], 'The version is not processed yet, or the track has no audio: wait until its status is `ready`.'],
  original_version_cannot_be_deleted: [[409], 'The original version cannot be deleted: delete the track instead, or another version.'],
  upload_not_found: [[404], 'The track has no such upload: start a new one.'],
  upload_object_missing: [[409], 'No file has arrived for this upload: send it to `signedUrl`, then finalize again.'],
  upload_size_mismatch: [[409], 'The file has another size than `byteSize`: send the right file to `signedUrl`, then finalize again.'],
  upload_content_type_mismatch: [[409], 'The file has another content type than declared: send it with `requiredHeaders`, then finalize again.'],
  upload_expired: [[409], 'The upload has expired: start a new one.'],
  storage_unavailable: [[503], 'The object store cannot be reached: send the same request again after `Retry-After`.', {}, retrySoon],
  split_sheet_structural_validation_failed: [[422], 'The shares of the split sheet do not balance: correct what `issues` names; nothing was stored.', { issues: z.array(StructuralIssue) }],
  media_intelligence_unavailable: [[503], 'No analysis service is configured here: the operator must set one before media can be analysed again.'],

  // Sharing
  share_link_not_found: [[404], 'The track has no such share link: take its id from the list of share links.'],
  share_link_not_active: [[409], 'The share link is revoked or expired: create a new one.'],
  split_sheet_not_found: [[404], 'The track has no split sheet yet: store one before you share it.'],
  // The code of the core; a 404, unlike other `_unavailable` codes.
  track_link_unavailable: [[404], 'This link does not work, or no longer works: ask its sender for a new one.'],
  pack_link_not_found: [[404], 'This link does not work, or no longer works: ask its sender for a new one.'],
  split_sheet_link_not_found: [[404], 'This link does not work, or no longer works: ask its sender for a new one.'],
  access_code_required: [[403], 'This link requires an access code: send the one from its sender as `accessCode`.'],
  downloads_disabled: [[403], 'The owner of this link does not allow downloads: play the track instead, or ask its owner.'],
  // The code of the core for its rate limits, also of share links.
  analytics_rate_limited: [[429], 'Too many requests of this kind: wait for as many seconds as `Retry-After` says.', {}, { 'retry-after': 'required' }],

  // Libraries
  library_not_found: [[404], 'This account has no access to such a library: check its id, or ask its owner for a share.'],
  library_name_conflict: [[409], 'This account has another library of this name: choose another name.'],
  library_share_not_found: [[404], 'The library has no such share: take its id from the list of shares.'],
  library_share_conflict: [[409], 'This person is invited already: change the existing share instead.'],
  library_share_not_active: [[409], 'The share is revoked or declined: create a new one.'],

  // Packs
  pack_not_found: [[404], 'This account has no such pack: check its id, or whether it was deleted.'],
  track_set_mismatch: [[409], 'The order must name each track of the pack once, and no other: read the pack again and send all of its tracks.'],
  slug_conflict: [[409], 'Another link has this slug: choose another one, or send none.'],

  // Catalogue analysis
  analysis_thread_not_found: [[404], 'This account has no such thread: check its id, or start a new one by leaving it out.'],
  // The questions or the tokens of the day are used up.
  analysis_rate_limited: [[429], 'The questions of this account for today are used up: wait for as many seconds as `Retry-After` says.', {}, { 'retry-after': 'required' }],

  // Webhooks and callbacks
  link_signature_invalid: [[401], 'The signature is missing or does not match the body: sign the exact bytes with the secret of this endpoint.'],
  email_webhook_not_configured: [[503], 'No secret is set for this endpoint: the operator must set EMAIL_WEBHOOK_SECRET.'],
  email_signature_invalid: [[401], 'The signature is missing, too old or does not match the body: sign the exact bytes with the secret of this endpoint.'],
  media_intelligence_not_configured: [[503], 'No secret is set for this endpoint: the operator must set MEDIA_INTELLIGENCE_SECRET.'],
  media_intelligence_signature_invalid: [[401], 'The signature is missing, too old or does not match the body: sign the exact bytes with the secret of this endpoint.'],
  media_dispatch_not_found: [[404], 'No such dispatch exists: send the `dispatchId` that the request for the analysis contained.'],

  // Operators
  operator_token_required: [[401], 'The token of an operator is missing or wrong: send it as `Authorization: Bearer`.', { message }, { 'www-authenticate': { default: 'Bearer' } }],
  operator_attempts_exceeded: [[429], 'Too many wrong operator tokens came from this address: wait for as many seconds as `Retry-After` says.', { message }, { 'retry-after': 'required' }],
  operator_role_insufficient: [[403], 'The role of this operator does not allow this: ask an operator with a higher role.', { message }],
  route_scope_unknown: [[404], 'No route or area has this name: `nearest` lists similar ones.', { message, nearest: z.array(z.string()) }],
  route_change_illegal: [[409], 'The state of the route does not allow this change: read its state, and the changes that it allows.', { message }],
  /** The version that the change would have to name. */
  route_version_stale: [[409], 'Another change came first: read the state of the route again and decide anew.', { message, version: z.int() }],
  account_override_not_found: [[404], 'The account has no override for this scope: list all overrides to find it.', { message }],
  account_override_limit_reached: [[409], 'There are as many overrides as are allowed: remove those that are no longer needed.', { message, limit: z.int() }],
  gateway_instance_not_found: [[404], 'No instance has this id: list all instances to find it.', { message }],
  gateway_instance_live: [[409], 'The instance still reports: stop it instead, and it removes itself.', { message }],
  routing_database_unavailable: [[503], 'The routing state cannot be read or stored at the moment: send the same request again after `Retry-After`.', { message }, retrySoon],
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

/** The row of a code with named columns. */
export const errorRowOf = (code: ErrorCode) => {
  const [statuses, message, fields = {}, headers = {}]: ErrorRow = errorTable[code]
  return { statuses, message, fields, headers }
}

type RowOf<C extends ErrorCode> = (typeof errorTable)[C]

type ErrorOptions<C extends ErrorCode> = HeaderOptions<RowOf<C>> & {
  /** One of the code's statuses; defaults to the first of its row. */
  readonly status?: RowOf<C>[0][number]
  readonly cause?: unknown
  /** Instead of the message of the row, where its code has several causes. */
  readonly message?: string
}

type ErrorArguments<C extends ErrorCode> =
  Record<never, never> extends ErrorOptions<C>
    ? Record<never, never> extends FieldsOf<RowOf<C>>
      ? [fields?: FieldsOf<RowOf<C>>, options?: ErrorOptions<C>]
      : [fields: FieldsOf<RowOf<C>>, options?: ErrorOptions<C>]
    : [fields: FieldsOf<RowOf<C>>, options: ErrorOptions<C>]

/** The codes whose errors need neither fields nor headers from where they are thrown. */
export type BareErrorCode = { [C in ErrorCode]: [] extends ErrorArguments<C> ? C : never }[ErrorCode]

type HeaderFields = Readonly<Record<string, string>>

const selectDefaults = (headers: ErrorHeaders): HeaderFields =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, header]) =>
      typeof header === 'object' ? [[name, header.default]] : [],
    ),
  )

/**
 * An error response in the shape of the contract: `{ error: code, message, ...fields }` with the status, the message and
 * the headers of its row, unless it is created with others.
 */
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
 * The codes that the core returns instead of codes of this table, with the same status and fields. A forwarded response
 * is not changed.
 */
export const codesOfCore = { validation_error: 'validation_failed' } as const satisfies {
  readonly [C in ErrorCode]?: string
}

/** One issue as a sentence: the field, or the request as a whole for an empty path, and what it must be. */
export const describeField = (path: string, predicate: string): Issue => ({
  path,
  message: `${path === '' ? 'The request' : path} ${predicate}.`,
})

/** A `validation_error` (400) that names one field of the input; `predicate` is the rest of a sentence about it. */
export const invalid = (path: string, predicate: string) =>
  new ApiError('validation_error', { issues: [describeField(path, predicate)] })
