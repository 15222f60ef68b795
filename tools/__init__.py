"""What measures the course and draws its pictures; nothing here is installed."""
