import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { DeliveryStatus } from './shared/delivery-status.ts'
import { BillingEventEnvelope, EmailEventEnvelope, LinkEventEnvelope } from './shared/provider-events.ts'

// The error codes for secrets and signatures are in `deliveries`, not here.

export const billing = defineContract('webhooks.billing', {
  body: BillingEventEnvelope,
  responses: {
    200: z.object({
      received: z.literal(true),
      status: z.enum(['processed', 'duplicate', 'ignored', 'stale', 'unresolved_owner']),
      type: z.string(),
    }),
  },
  errors: ['billing_configuration_error', 'billing_provider_unavailable', 'native_runtime_required'],
})

export const links = defineContract('webhooks.links', {
  body: LinkEventEnvelope,
  responses: {
    200: z.object({
      ok: z.literal(true),
      status: z.enum(['stored', 'duplicate', 'ignored', 'unmapped']),
      event: z.string().optional(),
    }),
  },
})

export const email = defineContract('webhooks.email', {
  body: EmailEventEnvelope,
  responses: {
    200: z.object({
      received: z.literal(true),
      deliveryUpdated: z.boolean(),
      type: z.string(),
      status: DeliveryStatus.optional(),
      reason: z.enum(['duplicate', 'delivery_not_found', 'ignored_event', 'no_change']).optional(),
    }),
  },
})
