// Pages about the world outside: what is sent to it, and who of it may come in.
import { lazyPart } from '../base/lazy-part.ts';
import type { PageEntry } from './page-props.ts';

export const outsidePages: readonly PageEntry[] = [
  {
    path: '/webhooks',
    title: 'Webhooks',
    view: lazyPart(
      () => import('./webhooks/webhooks-page.tsx'),
      (part) => part.WebhooksPage,
    ),
    nav: { icon: 'send', key: 'w' },
    needs: 'WebhooksRead',
  },
  {
    path: '/webhooks/:id',
    title: 'Webhook',
    view: lazyPart(
      () => import('./webhooks/webhook-page.tsx'),
      (part) => part.WebhookPage,
    ),
    needs: 'WebhooksRead',
  },
  {
    path: '/connectors',
    title: 'Connectors',
    view: lazyPart(
      () => import('./connectors/connectors-page.tsx'),
      (part) => part.ConnectorsPage,
    ),
    nav: { icon: 'tool', key: 'z' },
    needs: 'ConnectorsRead',
  },
  {
    path: '/connectors/:id',
    title: 'Connector',
    view: lazyPart(
      () => import('./connectors/connector-page.tsx'),
      (part) => part.ConnectorPage,
    ),
    needs: 'ConnectorsRead',
  },
  {
    path: '/connectors/:id/mail',
    title: 'Mail',
    view: lazyPart(
      () => import('./mail/mail-page.tsx'),
      (part) => part.MailPage,
    ),
    needs: 'EmailRead',
  },
  {
    path: '/connector-sign-in',
    title: 'Connector',
    view: lazyPart(
      () => import('./connectors/sign-in-page.tsx'),
      (part) => part.ConnectorSignInPage,
    ),
    needs: 'ConnectorsWrite',
  },
  {
    path: '/bots',
    title: 'Bots',
    view: lazyPart(
      () => import('./bots/bots-page.tsx'),
      (part) => part.BotsPage,
    ),
    nav: { icon: 'chat', key: 'n' },
    needs: 'IdentitiesRead',
  },
  {
    path: '/bots/:id',
    title: 'Bot',
    view: lazyPart(
      () => import('./bots/bot-page.tsx'),
      (part) => part.BotPage,
    ),
    needs: 'IdentitiesRead',
  },
  {
    path: '/channels',
    title: 'Channels',
    view: lazyPart(
      () => import('./channels/channels-page.tsx'),
      (part) => part.ChannelsPage,
    ),
    nav: { icon: 'external', key: 'q' },
    needs: 'ChannelsRead',
  },
  {
    path: '/channels/:id',
    title: 'Channel',
    view: lazyPart(
      () => import('./channels/channel-page.tsx'),
      (part) => part.ChannelPage,
    ),
    needs: 'ChannelsRead',
  },
];
