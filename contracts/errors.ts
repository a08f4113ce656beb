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

const message = z.string()

// Dependencies usually recover within seconds.
const retrySoon = { 'retry-after': { default: '1' } } as const

/**
 * Every error code with its statuses, the default first, the fields of its body in addition to `error`, and the headers
 * of its response.
 */
export const errorTable = {
  // The request itself
  bad_request: [[400]],
  validation_error: [[400], { issues: z.array(Issue) }],
  invalid_json: [[400], { message }],
  // RFC 9110, section 11.6.1: a 401 response must contain a challenge.
  unauthorized: [[401], {}, { 'www-authenticate': { default: 'Bearer' } }],
  forbidden: [[403]],
  entitlement_required: [
    [403],
    {
      code: z.literal('entitlement_required'),
      feature: z.string(),
      current: z.int().nullable(),
      limit: z.int().nullable(),
      planId: z.string(),
      status: z.string(),
      upgradeRequired: z.literal(true),
    },
  ],
  quota_exceeded: [[409], { message, quota: QuotaName, limit: z.int() }],
  // The key of a request that native has served or still serves.
  idempotency_key_reused: [[422]],
  idempotency_in_progress: [[409], {}, retrySoon],
  route_not_found: [[404]],
  method_not_allowed: [[405], {}, { allow: 'required' }],
  request_timeout: [[408]],
  body_too_large: [[413]],
  uri_too_long: [[414]],
  expectation_failed: [[417]],
  // A limit of an account. The limits of share links and analytics have the core's code, `analytics_rate_limited`.
  rate_limited: [[429], {}, { 'retry-after': 'required' }],
  headers_too_large: [[431]],
  internal_error: [[500]],
  method_not_implemented: [[501]],
  native_route_not_implemented: [[501], { message, path: z.string() }],
  native_runtime_required: [[503], { message }],
  authentication_unavailable: [[503], {}, retrySoon],
  gateway_busy: [[503], {}, retrySoon],
  version_not_supported: [[505]],

  // Errors of the core
  core_bad_response: [[502]],
  core_unavailable: [[503], {}, { 'retry-after': 'optional' }],
  core_timeout: [[504]],
  loop_detected: [[508]],

  // Database unavailable, by area
  billing_database_unavailable: [[503], {}, retrySoon],
  tracks_database_unavailable: [[503], {}, retrySoon],
  packs_database_unavailable: [[503], {}, retrySoon],
  pack_links_database_unavailable: [[503], {}, retrySoon],
  public_database_unavailable: [[503], {}, retrySoon],
  libraries_database_unavailable: [[503], {}, retrySoon],
  analytics_database_unavailable: [[503], {}, retrySoon],
  catalog_analysis_database_unavailable: [[503], {}, retrySoon],
  links_database_unavailable: [[503], {}, retrySoon],
  email_database_unavailable: [[503], {}, retrySoon],
  media_intelligence_database_unavailable: [[503], {}, retrySoon],
  internal_database_unavailable: [[503], {}, retrySoon],

  // Billing
  billing_bad_input: [
    [400, 409],
    {
      reason: z.enum(['already_subscribed', 'no_customer', 'no_subscription']).optional(),
      /** The plans that exist, for a plan that does not. */
      availablePlanIds: z.array(z.string()).optional(),
    },
  ],
  billing_configuration_error: [[503]],
  billing_provider_unavailable: [[503, 502]],
  billing_signature_missing: [[400]],
  billing_signature_invalid: [[400]],

  // Tracks
  track_not_found: [[404]],
  track_resource_not_found: [[404]],
  peaks_not_found: [[404]],
  playback_not_found: [[404]],
  asset_not_found: [[404]],
  version_not_found: [[404]],
  version_not_ready: [[409]],
  original_version_cannot_be_deleted: [[409]],
  upload_not_found: [[404]],
  upload_object_missing: [[409]],
  upload_size_mismatch: [[409]],
  upload_content_type_mismatch: [[409]],
  upload_expired: [[409]],
  storage_unavailable: [[503], {}, retrySoon],
  split_sheet_structural_validation_failed: [[422], { issues: z.array(StructuralIssue) }],
  media_intelligence_unavailable: [[503]],

  // Sharing
  share_link_not_found: [[404]],
  share_link_not_active: [[409]],
  split_sheet_not_found: [[404]],
  // The code of the core; a 404, unlike other `_unavailable` codes.
  track_link_unavailable: [[404]],
  pack_link_not_found: [[404]],
  split_sheet_link_not_found: [[404]],
  access_code_required: [[403]],
  downloads_disabled: [[403]],
  // The code of the core for its rate limits, also of share links.
  analytics_rate_limited: [[429], {}, { 'retry-after': 'required' }],

  // Libraries
  library_not_found: [[404]],
  library_name_conflict: [[409]],
  library_share_not_found: [[404]],
  library_share_conflict: [[409]],
  library_share_not_active: [[409]],

  // Packs
  pack_not_found: [[404]],
  track_set_mismatch: [[409]],
  slug_conflict: [[409]],

  // Catalogue analysis
  analysis_thread_not_found: [[404]],
  // The questions or the tokens of the day are used up.
  analysis_rate_limited: [[429], {}, { 'retry-after': 'required' }],

  // Webhooks and callbacks
  link_signature_invalid: [[401]],
  email_webhook_not_configured: [[503]],
  email_signature_invalid: [[401]],
  media_intelligence_not_configured: [[503]],
  media_intelligence_signature_invalid: [[401]],
  media_dispatch_not_found: [[404]],

  // Operators
  operator_token_required: [[401], { message }, { 'www-authenticate': { default: 'Bearer' } }],
  operator_attempts_exceeded: [[429], { message }, { 'retry-after': 'required' }],
  operator_role_insufficient: [[403], { message }],
  route_scope_unknown: [[404], { message, nearest: z.array(z.string()) }],
  route_change_illegal: [[409], { message }],
  /** The version that the change would have to name. */
  route_version_stale: [[409], { message, version: z.int() }],
  account_override_not_found: [[404], { message }],
  account_override_limit_reached: [[409], { message, limit: z.int() }],
  gateway_instance_not_found: [[404], { message }],
  gateway_instance_live: [[409], { message }],
  routing_database_unavailable: [[503], { message }, retrySoon],
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

/** The row of a code with named columns. */
export const errorRowOf = (code: ErrorCode) => {
  const [statuses, fields = {}, headers = {}]: ErrorRow = errorTable[code]
  return { statuses, fields, headers }
}

type RowOf<C extends ErrorCode> = (typeof errorTable)[C]

type ErrorOptions<C extends ErrorCode> = HeaderOptions<RowOf<C>> & {
  /** One of the code's statuses; defaults to the first of its row. */
  readonly status?: RowOf<C>[0][number]
  readonly cause?: unknown
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

/** An error response in the shape of the contract: `{ error: code, ...fields }` with the status and headers of its row. */
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
    this.body = { error: code, ...fields }
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
