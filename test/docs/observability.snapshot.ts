import { writeFileSync } from 'node:fs';
import { alertsFile, dashboardFile, writtenAlerts, writtenDashboard } from './observability.ts';

// Run by `npm run docs`: writes the rules of Prometheus and the dashboard of Grafana, which observability.test.ts compares.
writeFileSync(alertsFile, writtenAlerts());
writeFileSync(dashboardFile, writtenDashboard());
