"""What other tools compute under the names of metrics, one TOML file per tool."""
