export { default } from 'ussd-menu-builder';
